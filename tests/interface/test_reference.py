#!/usr/bin/env python3
"""scripts/interface/reference.py leaves nothing out, and refuses wrong and missing comments."""
import html
import re
import unittest

from copied import Copied, ROOT


class Reference(Copied):
    def write(self):
        return self.run_tool('reference.py', '--pages', str(self.work / 'pages'), '--write')

    def refuses(self, *words):
        status, said = self.write()
        self.assertEqual(status, 1, said)
        for word in words:
            self.assertIn(word, said)
        self.assertFalse((self.work / 'pages').exists())

    def test_the_pages_have_every_name_of_the_binary_interface(self):
        status, said = self.write()
        self.assertEqual(status, 0, said)
        pages = '\n'.join(path.read_text() for path in (self.work / 'pages').glob('*.md'))
        entries = {}                           # heading -> what is below it
        for part in re.split(r'^### ', pages, flags=re.M)[1:]:
            entries[part.split('\n')[0]] = html.unescape(part)
        counted = 0
        for record in (ROOT / 'tests' / 'install' / 'abi').glob('*.abi'):
            for kind, name in re.findall(r'^(\w+) ([^:\s]+): ', record.read_text(), re.M):
                if kind in ('function', 'struct', 'enum'):
                    self.assertIn(name, entries)
                elif kind == 'field':
                    owner, field = name.split('.')[0], name.split('.')[-1]
                    self.assertIn(f'<b>{field}</b>', entries[owner], name)
                else:
                    self.assertRegex(pages, rf'`{name}\b|<pre>#define {name} ')
                counted += 1
        self.assertGreater(counted, 800)

    def test_a_page_that_was_changed_by_hand(self):
        self.write()
        page = self.work / 'pages' / 'perp.md'
        page.write_text(page.read_text().replace('nothing is claimed', 'all is claimed'))
        status, said = self.run_tool('reference.py', '--pages', str(self.work / 'pages'), '--check')
        self.assertEqual(status, 1)
        self.assertIn('perp.md', said)
        self.assertIn('ninja docs', said)

    def test_a_comment_that_changes_changes_a_page(self):
        self.write()
        self.change('perp.h', 'a matrix of any kind', 'any matrix')
        status, said = self.run_tool('reference.py', '--pages', str(self.work / 'pages'), '--check')
        self.assertEqual(status, 1)
        self.assertIn('perp.md', said)

    def test_a_function_without_a_comment(self):
        self.change('perp.h', r'   // just enough for this problem$', '')
        self.refuses('perp.h:', 'function perp_limits_of has no comment')

    def test_a_struct_without_a_comment(self):
        self.change('perp.h', r'   // a matrix of any kind$', '')
        self.refuses('struct perp_operator has no comment')

    def test_a_field_without_a_comment(self):
        self.change('perp.h', r'^(  int32_t ld;).*$', r'\1')
        self.refuses('field perp_dense.ld has no comment')

    def test_an_enum_without_a_comment(self):
        self.change('contact.h', r'^typedef enum perp_shape \{.*$', 'typedef enum perp_shape {')
        self.refuses('enum perp_shape has no comment')

    def test_a_value_without_a_comment(self):
        self.change('fluid.h', r'^(  PERP_WALLS_SLIP,).*$', r'\1')
        self.refuses('fluid.h:', 'value PERP_WALLS_SLIP has no comment')

    def test_a_constant_without_a_comment(self):
        self.change('perp.h', r'^(#define PERP_CLAIM_PSD +2u).*$', r'\1')
        self.refuses('value PERP_CLAIM_PSD has no comment')

    def test_an_opaque_type_without_a_comment(self):
        self.change('contact.h', r'^(typedef struct perp_world perp_world;).*$', r'\1')
        self.refuses('type perp_world has no comment')

    def mentions(self, text, what):
        self.change('perp.h', 'a matrix of any kind', text)
        self.refuses('the comment mentions', what)

    def test_a_name_that_does_not_exist(self):
        self.mentions('see perp_solve_twice', 'perp_solve_twice, which is no name in the headers')

    def test_a_value_that_does_not_exist(self):
        self.mentions('such as PERP_CLAIM_ODD', 'PERP_CLAIM_ODD, which is no name in the headers')

    def test_a_family_of_names_that_does_not_exist(self):
        self.mentions('PERP_CLAIMS_*', 'PERP_CLAIMS_*, which is no beginning of names')

    def test_a_field_that_does_not_exist(self):
        self.mentions('see perp_options.tolerance', 'perp_options.tolerance, which is no field')

    def test_a_setting_that_does_not_exist(self):
        self.mentions('see sweep.omegas', 'sweep.omegas, which is no field')

    def test_a_call_that_does_not_exist(self):
        self.mentions('as applied() does', 'applied, which is no function')

    def test_a_method_that_does_not_exist(self):
        self.mentions('for `pgsd`', '`pgsd`, which is no field, parameter or method')

    def test_a_word_that_looks_like_a_name(self):
        self.mentions('for absolute_tolerance', 'absolute_tolerance, which is no name')

    def test_a_header_that_does_not_exist(self):
        self.mentions('see matrices.h', 'matrices.h, which is no header')

    def test_a_page_that_does_not_exist(self):
        self.mentions('see docs/theories.md', 'docs/theories.md, which is no page')

    def test_a_part_of_a_page_that_does_not_exist(self):
        self.mentions('see docs/theory.md, "Odd programs"', 'which is no page with a part')

    def test_a_paper_that_the_header_does_not_name(self):
        self.mentions('see MNS08', 'MNS08, which is no paper that the first comment')

    def test_a_range_without_an_end(self):
        self.change('perp.h', r'from here to subspace:', 'from here to subspaces:')
        self.refuses('the comment reaches to subspaces, which is not here')

    def test_a_declaration_that_cannot_be_read(self):
        self.change('perp.h', r'^perp_error perp_validate\(',
                    'typedef int perp_odd;   // odd\nperp_error perp_validate(')
        self.refuses('include/perp/perp.h:', 'neither a struct nor an enum')


if __name__ == '__main__':
    unittest.main()
