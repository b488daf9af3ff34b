"""Runs pyverbs' tests of librdmacm as they are, where a device of weft differs from a kernel's:

- both sides of a test have one address there. A device of weft belongs to one process, so each side has its own here.
- a test forks its sides after it has opened the device. Here they are started anew.

    rdmacm.py FOLDER-OF-TESTS ADDRESS-OF-PASSIVE-SIDE ADDRESS-OF-ACTIVE-SIDE
"""
import copyreg
import multiprocessing as mp
import sys
import unittest

folder, passive_address, active_address = sys.argv[1:4]
sys.path[:0] = [folder, folder + '/tests']

from args_parser import parser

parser.args = {'dev': 'weft0', 'port': 1, 'gid': None, 'gpu': 0, 'gtt': False}

import pyverbs.cm_enums as ce
import tests.base as base
import tests.base_rdmacm as base_rdmacm
import tests.rdmacm_utils as rdmacm_utils
from tests import test_rdmacm


def get_ip_mac(self, dev, port, idx):
    self.args.append([dev, port, idx, passive_address, None])


def in_new_processes(_):
    return spawn


def without_streams(self):
    return {k: v for k, v in self.__dict__.items() if k != '_outcome'}


side = {}


def knowing_its_side(flow):
    def run(self, *args, passive=None, **kwargs):
        side['own'] = passive_address if passive else active_address
        return flow(self, *args, passive=passive, **kwargs)
    run.__name__ = flow.__name__
    return run


class AddrInfo(base_rdmacm.AddrInfo):
    def __new__(cls, src=None, *args, **kwargs):
        return super().__new__(cls, src, *args, **kwargs)

    def __init__(self, src=None, *args, **kwargs):
        super().__init__(side['own'] if src == passive_address else src, *args, **kwargs)


copyreg.pickle(ce.rdma_port_space, lambda v: (int, (int(v),)))
spawn = mp.get_context('spawn')
base.RDMATestCase._get_ip_mac = get_ip_mac
base.RDMATestCase.__getstate__ = without_streams
base.mp.get_context = in_new_processes
for name in ('rdmacm_traffic', 'rdmacm_multicast_traffic', 'rdmacm_remote_traffic'):
    setattr(base.RDMACMBaseTest, name, knowing_its_side(getattr(base.RDMACMBaseTest, name)))
base_rdmacm.AddrInfo = rdmacm_utils.AddrInfo = AddrInfo

if __name__ == '__main__':
    suite = unittest.defaultTestLoader.loadTestsFromModule(test_rdmacm)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
