"""copied.py: a copy of the public headers, in which a test changes one thing, and a tool for it."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Copied(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix='perp-interface.'))
        self.addCleanup(shutil.rmtree, self.work)
        shutil.copytree(ROOT / 'include', self.work / 'include')

    def change(self, header, pattern, replacement):
        """Replaces the only place in a header that matches."""
        path = self.work / 'include' / 'perp' / header
        text, count = re.subn(pattern, replacement, path.read_text(), flags=re.M)
        self.assertEqual(count, 1, f'{pattern} in {header}')
        path.write_text(text)

    def run_tool(self, name, *arguments):
        """Status and words of a tool in scripts/interface."""
        ran = subprocess.run([sys.executable, str(ROOT / 'scripts' / 'interface' / name),
                              '--include', str(self.work / 'include'), *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return ran.returncode, ran.stdout
