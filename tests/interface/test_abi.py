#!/usr/bin/env python3
"""scripts/interface/abi.py notices each kind of change in the binary interface."""
import unittest

from copied import Copied

BREAKS = 'Programs that were built against'


class Abi(Copied):
    def setUp(self):
        super().setUp()
        status, said = self.run_tool('abi.py', '--records', str(self.work / 'abi'), '--write')
        self.assertEqual(status, 0, said)

    def notices(self, *words, breaks=True):
        status, said = self.run_tool('abi.py', '--records', str(self.work / 'abi'), '--check')
        self.assertEqual(status, 1, said)
        for word in (*words, 'Then run `ninja abi`'):
            self.assertIn(word, said)
        self.assertEqual(breaks, BREAKS in said, said)

    def test_says_nothing_where_nothing_changed(self):
        status, said = self.run_tool('abi.py', '--records', str(self.work / 'abi'), '--check')
        self.assertEqual((status, said.split()[0]), (0, '4'), said)

    def test_a_comment_and_the_name_of_a_parameter_are_no_change(self):
        self.change('perp.h', r'a matrix of any kind', 'any matrix')
        self.change('perp.h', r'const double \*x, double \*y\);$', 'const double *v, double *w);')
        status, said = self.run_tool('abi.py', '--records', str(self.work / 'abi'), '--check')
        self.assertEqual(status, 0, said)

    def test_a_field_that_is_added_at_the_end(self):
        self.change('perp.h', r'^\} perp_limits;', '  int64_t more;\n} perp_limits;')
        self.notices('field perp_limits.more is new: offset 32, size 8, int64_t',
                     'struct perp_limits was: size 32', 'is: size 40')

    def test_a_field_that_is_added_in_a_gap(self):
        self.change('batch.h', r'^  int32_t worst;', '  int16_t worst, more;')
        self.notices('field perp_brief.more is new',
                     'field perp_brief.worst was: offset 12, size 4, int32_t; is: offset 12,')

    def test_a_field_that_moves(self):
        self.change('perp.h', r'^  int32_t factorizations;.*\n', '')
        self.change('perp.h', r'^(  int32_t iterations;.*)$', r'  int32_t factorizations;\n\1')
        self.notices('field perp_result.factorizations moves from offset 24 to 16',
                     'field perp_result.iterations moves from offset 16 to 20')

    def test_a_field_whose_type_changes_but_not_its_size(self):
        self.change('perp.h', r'^  double gap;', '  int64_t gap;')
        self.notices('field perp_certificate.gap was: offset', 'size 8, double; is: offset',
                     'size 8, int64_t')

    def test_a_field_of_a_struct_inside_of_a_struct(self):
        self.change('analysis.h', r'char reason\[96\]; \}', 'char reason[104]; }')
        self.notices('field perp_classes.of[PERP_CLASS_COUNT].reason was: offset 4, size 96',
                     'struct perp_classes was: size')

    def test_a_function_that_is_removed(self):
        self.change('contact.h', r'^int32_t perp_world_count\(.*\);.*\n', '')
        self.notices('libperp-contact', 'function perp_world_count is gone')

    def test_a_function_that_is_added(self):
        self.change('contact.h', r'^perp_body perp_hollow\(',
                    'perp_body perp_ring(double radius);\nperp_body perp_hollow(')
        self.notices('function perp_ring is new: perp_body (double)', breaks=False)

    def test_a_parameter_that_changes(self):
        self.change('american.h', r'^double perp_american_european\(const perp_american \*',
                    'double perp_american_european(perp_american *')
        self.notices('libperp-american', 'function perp_american_european was: '
                     'double (const perp_american *); is: double (perp_american *)')

    def test_a_value_in_the_middle_of_a_list(self):
        self.change('perp.h', r'^  X\(STALLED, ', '  X(LOST, "lost", "")   \\\n  X(STALLED, ')
        self.notices('value PERP_STATUS_STALLED was: 6; is: 7')

    def test_a_value_at_the_end_of_an_enum(self):
        self.change('fluid.h', r'^  PERP_FLUID_KIND_COUNT$',
                    '  PERP_FLUID_RING, PERP_FLUID_KIND_COUNT')
        self.notices('libperp-fluid', 'value PERP_FLUID_RING is new: 4',
                     'value PERP_FLUID_KIND_COUNT was: 4; is: 5', breaks=False)

    def test_a_constant_that_is_not_whole(self):
        self.change('analysis.h', r'ASYMMETRY_MAX 1e-14', 'ASYMMETRY_MAX 1e-13')
        self.notices('constant PERP_SYMMETRIC_ASYMMETRY_MAX was: 1', 'e-13')

    def test_a_constant(self):
        self.change('perp.h', r'^(#define PERP_CLAIM_H +)16u', r'\g<1>32u')
        self.notices('constant PERP_CLAIM_H was: 16; is: 32')

    def test_a_new_version_asks_for_a_new_record(self):
        self.change('version.h', r'^(#define PERP_VERSION_MINOR) \d+', r'\1 77')
        self.notices('soname was: libperp.so.0.', 'is: libperp.so.0.77', breaks=False)

    def test_a_declaration_that_cannot_be_read_is_an_error(self):
        self.change('perp.h', r'^perp_error perp_validate\(',
                    'union perp_odd { int a; };\nperp_error perp_validate(')
        status, said = self.run_tool('abi.py', '--records', str(self.work / 'abi'), '--check')
        self.assertEqual(status, 1)
        self.assertIn('include/perp/perp.h:', said)


if __name__ == '__main__':
    unittest.main()
