"""comments.py: comments of the public headers as Markdown, with a link at each name.

A comment that names what does not exist is an error: a function, type, field, value, header or page
that is gone or spelled differently.
"""
import re

import headers

PAPERS = {'E13', 'MNS08', 'ANE17', 'BOX', 'SPH'}
OTHER_FUNCTIONS = {'fork', 'malloc', 'free'}
MENTION = re.compile(
    r'(?P<code>`[^`]+`)'
    r'|(?P<page>\bdocs/[\w/-]+\.md)(?:, "(?P<part>[^"]+)")?'
    r'|(?P<path>\b(?:src|sim|cli|examples|include)/[\w/.-]*\w)'
    r'|(?P<family>\b(?:perp|PERP)_\w*\*)'
    r'|(?P<field>\bperp_\w+\.[a-z]\w*)'
    r'|(?P<name>\b(?:perp|PERP)_\w+)(?:\(\))?'
    r'|(?P<header>\b[a-z]+\.h\b)'
    r'|(?P<member>\b[a-z]\w+(?:\.|->)[a-z]\w+)'
    r'|(?P<call>\b[a-z]\w*)\(\)'
    r'|(?P<paper>\b(?:' + '|'.join(sorted(PAPERS)) + r')\b)'
    r'|(?P<word>\b[a-z]{2,}_[a-z_]{2,}\b)')


def slug(title):
    """The anchor of a heading, as web viewers make it."""
    return re.sub(r'[^a-z0-9 _-]', '', title.lower()).replace(' ', '-')


def escape(text):
    """Text that Markdown shows as it stands, in tables too."""
    text = text.replace('&', '&amp;').replace('<', '&lt;')
    text = re.sub(r'[\\*`|\[\]]', r'\\\g<0>', text)
    return re.sub(r'(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])', r'\\_', text)


class Names:
    """What the headers declare, and where its place in the reference is."""

    def __init__(self, all_headers):
        self.places, self.items, self.words = {}, {}, set()
        self.headers = {header.name for header in all_headers}
        self.problems = []
        self.methods = set()                   # and linear solvers: names that users write
        for table in ('method/methods.def', 'linear/face/solvers.def'):
            self.methods.update(re.findall(r'^PERP_(?:METHOD|LINEAR)\((\w+)\)',
                                           (headers.ROOT / 'src' / table).read_text(), re.M))
        for header in all_headers:
            for item in header.items:
                if item.kind != 'opaque' or item.name not in self.items:
                    self.items[item.name] = item
                    item.header = header.name
                self.words.update(re.findall(r'\w+', item.code))
                for member in item.members:
                    self.words.update(member.names)
                    self.words.update(re.findall(r'\w+', member.code))
                    self.words.add(member.name)

    def place(self, name, header, title):
        self.places[name] = f'{header}.md#{slug(title)}'

    def complain(self, header, line, why):
        self.problems.append(f'include/perp/{header.path.name}:{line}: {why}')

    def fields_of(self, type_name):
        item = self.items.get(type_name)
        return {one: field for field in item.members for one in field.names} if item else {}

    def owner(self, left, right, header):
        """The struct that left.right in a comment means, such as options.linear or stop.tol."""
        found = []
        for name, item in self.items.items():
            if item.kind != 'struct':
                continue
            kind = re.search(r'perp_\w+', getattr(self.fields_of(name).get(left), 'type', ''))
            if kind and right in self.fields_of(kind.group()):   # a field of that name
                found.append((name != 'perp_options', self.items[kind.group()]))
            if re.fullmatch(rf'perp_(\w+_)?{left}', name) and right in self.fields_of(name):
                found.append((item.header != header.name, item))   # or a type
        found.sort(key=lambda pair: pair[0])
        return found[0][1].name if found else None

    def link(self, text, name):
        return f'[`{text}`]({self.places[name]})' if name in self.places else f'`{text}`'

    def mention(self, found, header, line):
        kind, text = found.lastgroup, found.group()
        if kind == 'part':
            kind = 'page'
        name = found.group(kind)

        def no(what):
            self.complain(header, line, f'the comment mentions {name}, which is no {what}')
            return escape(text)
        if kind == 'code':
            word = name.strip('`')
            if re.fullmatch(r'\w+', word) and word not in self.words | self.methods:
                return no('field, parameter or method')
            return name
        if kind == 'page':
            path = headers.ROOT / name
            if not path.exists():
                return no('page')
            target, part = '../' + name[len('docs/'):], found.group('part')
            if part is None:
                return f'[{name}]({target})'
            titles = re.findall(r'^#+ (.*)$', path.read_text(), re.M)
            return f'[{name}, "{part}"]({target}#{slug(part)})' if part in titles else \
                no(f'page with a part "{part}"')
        if kind == 'path':
            return f'[{name}](../../{name})' if (headers.ROOT / name).exists() else no('file')
        if kind == 'family':
            known = sorted(one for one in self.places if one.startswith(name[:-1]))
            if not known:
                return no('beginning of names')
            places = {self.places[one] for one in known}
            return self.link(name, known[0]) if len(places) == 1 else f'`{name}`'
        if kind == 'field':
            owner, field = name.split('.')
            return self.link(name, owner) if field in self.fields_of(owner) else no('field')
        if kind == 'name':
            return self.link(text, name) if name in self.places else no('name in the headers')
        if kind == 'header':
            return f'[{name}]({name[:-2]}.md)' if name[:-2] in self.headers else no('header')
        if kind == 'member':
            owner = self.owner(*re.split(r'\.|->', name), header)
            return self.link(name, owner) if owner else no('field')
        if kind == 'call':
            return f'`{text}`' if name in self.words | OTHER_FUNCTIONS else no('function')
        if kind == 'paper':
            if not re.search(rf'\b{name}: ', header.intro):
                return no('paper that the first comment of this header names')
            return f'[{name}](../theory.md#references)'
        return escape(text) if name in self.words | self.methods else no('name in the headers')

    def inline(self, text, header, line):
        result, at = [], 0
        for found in MENTION.finditer(text):
            result += [escape(text[at:found.start()]), self.mention(found, header, line)]
            at = found.end()
        return ''.join(result) + escape(text[at:])

    def prose(self, text, header, line):
        """Paragraphs and blocks of code."""
        parts = []
        for part in text.split('\n\n'):
            if part.startswith('    '):
                lines = [one for one in part.split('\n')]
                indent = min(len(one) - len(one.lstrip()) for one in lines)
                language = 'c' if any(one.rstrip().endswith(';') for one in lines) else ''
                parts.append('\n'.join([f'```{language}', *(one[indent:] for one in lines), '```']))
            else:
                parts.append(self.inline(part, header, line))
        return '\n\n'.join(parts)

    def sentence(self, text, kept=()):
        """A remark behind a declaration as a sentence. It may begin with one of the words kept."""
        first = re.match(r'[a-z]+(?=[ ,]|$)', text)
        if first and first.group() not in self.methods | {'x', 'y', *kept}:
            text = text[0].upper() + text[1:]
        if text.startswith('"'):
            text = 'For example ' + text
        last = text.split('\n\n')[-1]
        if last and not last.startswith('    ') and re.search(r'[\w)"\'\]]$', last):
            text += '.'
        return text
