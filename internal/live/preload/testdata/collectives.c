/* A ring and the usual collectives, with every element checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

/* wrong counts the elements that are not base + i * step. */
static long wrong(const long *v, int n, long base, long step)
{
	long bad = 0;
	for (int i = 0; i < n; i++)
		bad += v[i] != base + i * step;
	return bad;
}

static long run(int n)
{
	long *a = malloc(sizeof(long) * n), *b = malloc(sizeof(long) * n), *all = malloc(sizeof(long) * n * ranks), bad = 0;
	for (int i = 0; i < n; i++)
		a[i] = i + rank;
	MPI_Allreduce(a, b, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	bad += wrong(b, n, (long)ranks * (ranks - 1) / 2, ranks);
	int left = (rank + ranks - 1) % ranks;
	MPI_Sendrecv(a, n, MPI_LONG, (rank + 1) % ranks, 0, b, n, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	bad += wrong(b, n, left, 1);
	MPI_Allgather(a, n, MPI_LONG, all, n, MPI_LONG, MPI_COMM_WORLD);
	for (int r = 0; r < ranks; r++)
		bad += wrong(all + (long)r * n, n, r, 1);
	MPI_Bcast(a, n, MPI_LONG, 0, MPI_COMM_WORLD);
	bad += wrong(a, n, 0, 1);
	free(a);
	free(b);
	free(all);
	return bad;
}

int main(int argc, char **argv)
{
	long bad = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int n = 1; n <= 1 << 20; n *= 16)
		bad += run(n);
	printf("rank %d of %d: %ld wrong\n", rank, ranks, bad);
	MPI_Finalize();
	return bad != 0;
}
