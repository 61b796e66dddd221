"""Every case file has the schema of its own program in .taplo.toml: python3 tests/cases/schemas.py REPOSITORY"""
import fnmatch
import pathlib
import sys
import tomllib

root = pathlib.Path(sys.argv[1])
rules = tomllib.loads((root / ".taplo.toml").read_text())["rule"]
cases = sorted(root.glob("cases/*/*.toml"))
wrong = []
for case in cases:
    name = case.relative_to(root).as_posix()
    wanted = f"build/{tomllib.loads(case.read_text())['program']}.schema.json"
    found = [rule["schema"]["path"] for rule in rules if any(fnmatch.fnmatch(name, glob) for glob in rule["include"])]
    if found != [wanted]:
        wrong.append(f"{name}: {found} instead of {wanted}")
if not cases:
    wrong.append("no case found")
sys.exit("\n".join(wrong) or 0)
