#!/usr/bin/env python3
"""The C reference, docs/reference, from the comments of the public headers.

  reference.py --write    writes the pages
  reference.py --check    compares them

An error, and no page, if a function, type, field, value or constant has no comment, or if a comment
names what does not exist. headers.py says which comment belongs to which declaration. --include
names a folder with perp/*.h, --pages the folder of the pages.
"""
import argparse
import html
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True   # the work tree stays as it is
import comments
import headers

MADE = '<!-- Made by `ninja docs` from the comments in include/perp. -->'
EXAMPLES_MAX = 4
USERS_MAX = 12       # types that more functions take are not followed by a list of them


def table(head, rows):
    return '\n'.join([head, '|' + '---|'*(head.count('|') - 1), *rows])


class Reference:
    def __init__(self, folder):
        self.headers = headers.read_all(folder)
        self.names = comments.Names(self.headers)
        self.places = self.names.places
        self.entries = {header.name: self.entries_of(header) for header in self.headers}
        self.examples = {path.name: path.read_text() for path in
                         sorted((headers.ROOT / 'examples' / 'c').glob('*.c'))}
        self.users = self.functions_by_type()

    # ---------------------------------------------------------------------------------- structure

    def entries_of(self, header):
        """(line, title, items): a heading for each declaration, and for constants in a row."""
        entries = []
        for item in header.items:
            previous = entries[-1][2][-1] if entries else None
            if item.kind == 'opaque' and self.names.items[item.name] is not item:
                continue                       # declared ahead of its definition
            joins = item.kind == 'macro' and previous and previous.kind == 'macro' and \
                not item.lead and all(header.lines[previous.line - 1:item.line - 1])
            if joins:
                entries[-1][2].append(item)
            else:
                entries.append([item.line, '', [item]])
        for entry in entries:
            items = entry[2]
            values = items if len(items) > 1 else items[0].members if not items[0].name else []
            title = items[0].name
            if values:
                title = re.sub(r'[^_]*$', '*', os.path.commonprefix([v.name for v in values]))
            entry[1] = title
            for item in items:
                values = [value.name for value in item.members if item.kind == 'enum']
                for name in (item.name, item.origin, *values):
                    if name and item.kind != 'list':
                        self.names.place(name, header.name, title)
        return entries

    def header_of(self, item):
        return next(header for header in self.headers if header.name == item.header)

    def functions_by_type(self):
        users = {}
        for item in self.names.items.values():
            if item.kind == 'function':
                for name in set(re.findall(r'\bperp_\w+', item.type)):
                    users.setdefault(name, []).append(item.name)
        return users

    # --------------------------------------------------------------------------------------- code

    def code(self, text, inline=True, bold=()):
        """C with links, as HTML."""
        def word(found):
            name = found.group()
            shown = f'<b>{name}</b>' if name in bold else name
            return f'<a href="{self.places[name]}">{shown}</a>' \
                if name in self.places and name not in bold else shown
        text = html.escape(text, quote=False)
        text = re.sub(r'/\*.*?\*/|\b[A-Za-z_]\w*\b',
                      lambda found: word(found) if found.group()[0] != '/' else found.group(), text)
        return text.replace('|', '&#124;').replace('*', '&#42;') if inline else text

    # ------------------------------------------------------------------------------------- entries

    def describe(self, header, item, what):
        text = item.text()
        if not text:
            self.names.complain(header, item.line, f'{what} {item.name} has no comment')
        parameters = re.findall(r'\w+', item.code)
        return self.names.prose(self.names.sentence(text, parameters), header, item.line)

    def function(self, header, item):
        indent = item.line and header.lines[item.line - 1].index(item.code.split()[0])
        code = '\n'.join(line[indent:] if number else line
                         for number, line in enumerate(item.code.split('\n')))
        return [f'<pre>{self.code(code, inline=False, bold=[item.name])}</pre>',
                self.describe(header, item, 'function'), self.shown_by(item.name)]

    def row(self, left, text, header, line):
        return f'| {left} | {self.names.inline(" ".join(text.split()), header, line)} |'

    def meaning(self, header, item, field):
        """The comment of a field, or the first sentence of that of its type."""
        kind = self.names.items.get(field.type)
        if field.text() or not kind or kind.kind not in ('struct', 'enum'):
            if not field.text() and not field.covered:
                self.names.complain(header, field.line,
                                    f'field {item.name}.{field.name} has no comment')
            return field.text(), header
        options = re.fullmatch(r'perp_(\w+)_options', field.type)
        if options and not kind.text():
            return f'settings of {field.name}', header
        text = re.split(r'(?<=[a-z])\.(?= |\n|$)|\n', kind.text())[0]
        return re.sub(r'^[A-Z](?=[a-z])', lambda found: found.group().lower(), text), \
            self.header_of(kind)

    def struct(self, header, item):
        rows = []
        for field in item.members:
            if field.note:
                rows.append(self.row('', field.note, header, field.line))
            last = [name.split('.')[-1] for name in field.names]
            left = f'<code>{self.code(field.code, bold=last)}</code>'
            if field.same and '</code> |' in rows[-1]:
                rows[-1] = rows[-1].replace('</code> |', f'</code><br>{left} |', 1)
            else:
                text, home = self.meaning(header, item, field)
                rows.append(self.row(left, text, home, field.line))
        options = re.fullmatch(r'perp_(\w+)_options', item.name)
        if options and not item.text():
            item.doc = f'perp_options.{options.group(1)}'
        text = self.describe(header, item, 'struct')
        return ['*struct*' + ('\n\n' if '\n' in text else ': ') + text,
                table('| field | meaning |', rows), self.used_by(item.name),
                self.shown_by(item.name)]

    def values(self, header, values, numbered):
        rows, previous = [], None
        for value in values:
            text = value.text()
            if not text and value.name.endswith('_COUNT'):
                text = 'how many there are; not one of them'
            if not text:
                self.names.complain(header, value.line, f'value {value.name} has no comment')
            shown = f'`{value.name}`'
            if numbered:
                shown += f' | `{value.value}`' if value.value else ' |'
            if value.same and previous and not numbered:
                rows[-1] = rows[-1].replace('` |', f'`<br>{shown} |', 1)
            else:
                rows.append(self.row(shown, text, header, value.line))
            previous = value
        return table('| value | | meaning |' if numbered else '| value | meaning |', rows)

    def enum(self, header, item):
        text = item.text()
        listed = [f'`{item.origin}(X)` expands to `X(id, name, text)` for each of them.'] \
            if item.origin else []
        shared = {value.text() for value in item.members} == {text} and not item.origin
        values = self.values(header, item.members, bool(item.origin) or not item.name)
        if shared:                             # one line: the comment says it all
            values = 'Values: ' + ', '.join(
                f'`{value.name} = {value.value}`' if value.value else f'`{value.name}`'
                for value in item.members) + '.'
        return ['*enum*: ' + self.describe(header, item, 'enum'), values, *listed,
                self.used_by(item.name)]

    def macros(self, header, items):
        if len(items) == 1:
            return [f'<pre>#define {items[0].name} {self.code(items[0].value, inline=False)}</pre>',
                    self.describe(header, items[0], 'constant')]
        intro = [self.names.prose(self.names.sentence(items[0].lead), header, items[0].line)] \
            if items[0].lead else []
        if intro and not any(item.doc for item in items):
            rows = [f'| `{item.name}` | `{item.value}` |' for item in items]
            return [*intro, table('| constant | |', rows)]
        items[0].lead = ''
        return [*intro, self.values(header, items, True)]

    def opaque(self, header, item):
        return [f'<pre>typedef struct {item.name} {item.name};</pre>'
                if not item.name.startswith('struct') else f'<pre>{item.name};</pre>',
                self.describe(header, item, 'type'), self.used_by(item.name),
                self.shown_by(item.name)]

    def used_by(self, name):
        users = sorted(set(self.users.get(name, [])))
        if not users or len(users) > USERS_MAX:
            return ''
        return 'Functions: ' + ', '.join(self.names.link(one, one) for one in users) + '.'

    def shown_by(self, name):
        users = sorted((len(text), path) for path, text in self.examples.items()
                       if re.search(rf'\b{name}\b', text))
        return 'Examples: ' + ', '.join(f'[{path}](../../examples/c/{path})'
                                        for _, path in users[:EXAMPLES_MAX]) + '.' if users else ''

    # --------------------------------------------------------------------------------------- pages

    def page(self, header):
        library = headers.which_library(header)
        intro = self.names.prose(self.names.sentence(header.intro), header, 1)
        result = [f'# {header.path.name}', MADE, intro,
                  f'`#include <perp/{header.path.name}>`, and link `lib{library}`'
                  f' (`pkg-config --cflags --libs {library}`).'
                  f' The header: [{header.path.name}](../../include/perp/{header.path.name}).'
                  ' [All names](README.md).']
        entries = self.entries[header.name]
        bounds = [(re.sub(r'^.', lambda m: m.group().upper(), title), line)
                  for title, line in header.sections]
        first = bounds[0][1] if bounds else len(header.lines)
        if any(line < first for line, _, _ in entries):
            bounds.insert(0, ('General' if bounds else 'Declarations', 0))
        bounds.append(('', len(header.lines) + 1))
        contents, body = [], []
        for (title, start), (_, end) in zip(bounds, bounds[1:]):
            inside = [entry for entry in entries if start <= entry[0] < end]
            shown = [entry for entry in inside if entry[2][0].kind != 'list']
            contents.append(f'| [{title}](#{comments.slug(title)}) | ' + ', '.join(
                self.names.link(entry[1], entry[2][0].name or entry[2][0].members[0].name)
                for entry in shown) + ' |')
            body.append(f'## {title}')
            body += [self.names.prose(text, header, line) for line, text in header.notes
                     if start <= line < end]
            for _, heading, items in shown:
                body.append(f'### {heading}')
                kind = items[0].kind
                if kind == 'macro':
                    body += self.macros(header, items)
                else:
                    body += {'function': self.function, 'struct': self.struct, 'enum': self.enum,
                             'opaque': self.opaque}[kind](header, items[0])
        if len(bounds) > 2:
            result.append(table('| part | declares |', contents))
        text = '\n\n'.join(part for part in result + body if part) + '\n'
        return re.sub(rf'(\]\(|href="){header.name}\.md#', r'\1#', text)

    def index(self):
        result = ['# C reference', MADE,
                  'Every function, type and constant of the public headers, with its comment. '
                  'Start with [perp.h](perp.md); [the library by example](../library.md) and '
                  '[examples/c](../../examples/c/README.md) show how the parts work together.',
                  'A function that can fail returns a [`perp_error`](perp.md#perp_error); '
                  '[`perp_last_message`](perp.md#perp_last_message) then says what was wrong. '
                  'The meaning of an array begins with its shape, such as `n` or `n x n`.']
        rows = []
        for header in self.headers:
            text = re.split(r'(?<=[\w)`])\.(?= |\n|$)', header.intro)[0]
            rows.append(self.row(f'[{header.path.name}]({header.name}.md)', text, header, 1)[:-1] +
                        f'| `lib{headers.which_library(header)}` |')
        result += ['## Headers', table('| header | holds | library |', rows)]
        for title, kinds in (('Functions', ('function',)), ('Types', ('struct', 'enum', 'opaque'))):
            letters = {}
            for name, item in sorted(self.names.items.items()):
                if item.kind in kinds and re.match('(struct )?perp_', name):
                    letter = re.sub('.*perp_', '', name)[0]
                    letters.setdefault(letter, []).append(self.names.link(name, name))
            result += [f'## {title}', table('| | |', [
                f'| {letter} | {", ".join(links)} |' for letter, links in sorted(letters.items())])]
        rows = []
        for _, title, items in (entry for entries in self.entries.values() for entry in entries):
            values = {'macro': items, 'enum': items[0].members}.get(items[0].kind)
            if values:
                names = sorted(value.name for value in values)
                if items[0].origin:
                    names.append(f'{items[0].origin}(X)')
                rows.append(f'| {self.names.link(title, names[0])} | '
                            + ', '.join(f'`{name}`' for name in names) + ' |')
        result += ['## Constants', table('| group | values |', sorted(rows, key=str.lower))]
        return '\n\n'.join(result) + '\n'

    def pages(self):
        pages = {f'{header.name}.md': self.page(header) for header in self.headers}
        pages['README.md'] = self.index()
        return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument('--write', action='store_true')
    what.add_argument('--check', action='store_true')
    parser.add_argument('--include', type=pathlib.Path, default=headers.ROOT / 'include')
    parser.add_argument('--pages', type=pathlib.Path, default=headers.ROOT / 'docs' / 'reference')
    given = parser.parse_args()
    reference = Reference(given.include / 'perp')
    pages = reference.pages()
    problems = list(dict.fromkeys(reference.names.problems))
    if problems:
        sys.exit('\n'.join([*problems, f'{len(problems)} errors in comments']))
    if given.write:
        given.pages.mkdir(exist_ok=True)
        for path in given.pages.glob('*.md'):
            path.unlink()
        for name, text in pages.items():
            (given.pages / name).write_text(text)
        return 0
    there = {path.name: path.read_text() for path in given.pages.glob('*.md')}
    wrong = [name for name in sorted(there.keys() | pages.keys())
             if there.get(name) != pages.get(name)]
    if wrong:
        print(f'docs/reference is not what the headers say: {", ".join(wrong)}\n'
              'Run `ninja docs` in the build folder, and commit the pages.')
        return 1
    print(f'{len(pages)} pages, {len(reference.places)} names')
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except headers.Problem as problem:
        sys.exit(str(problem))
