# The image of weft: a static program and the certificates of public authorities, nothing else.
#
#   go mod vendor                                 # then the build needs no network
#   docker build --network none --build-arg VERSION=1.0 --tag weft:1.0 .
#
# Without the folder vendor, and without --network none, the build fetches the modules that go.sum pins. Podman and
# buildah build it by the same command. VERSION is what weft version prints; COMMIT and DATE, too, if they are given.
# .ci/release makes the same image without a builder.
FROM docker.io/library/golang:1.26 AS build
WORKDIR /src
COPY . .
ARG VERSION=devel COMMIT DATE
RUN CGO_ENABLED=0 GOTOOLCHAIN=local go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X weft/internal/face/cli.release=$VERSION -X weft/internal/face/cli.commit=$COMMIT -X weft/internal/face/cli.date=$DATE" -o /weft ./cmd/weft

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /weft /weft
USER 65532:65532
ENTRYPOINT ["/weft"]
