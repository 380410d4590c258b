#!/usr/bin/env python3
"""Checks an evidence pack offline: python3 verify.py PACK.zip [--key KEY]

KEY is the public key that the service publishes, NAME+ID+BASE64 or a file with it. Without it the pack is held against the key
that came with it, which anybody can make.
Exit code 0 where all of it holds, 3 where it does under the key that came with it, 1 where something does not (each fault in a
line), 2 where it could not be checked.
Needs nothing but Python 3.8. Signatures are Ed25519 (RFC 8032), the tree is that of RFC 6962, signed texts are C2SP notes.
"""
import base64
import binascii
import hashlib
import json
import re
import struct
import sys

SIZE_MAX = 256 * 1024 * 1024
LISTED = ('README.txt', 'checkpoint.txt', 'events.ndjson', 'evidence.json', 'log-key.txt', 'open.html', 'proofs.json', 'verify.py')
NAMES = LISTED + ('manifest.json', 'manifest.sig')
# Of a zip's entry: version, flags, method, time, date, CRC, packed and whole size, length of the name and of what else there is.
ENTRY = struct.Struct('<5H3L2H')
# What is read of JSON.
EVENT = {'stream': str, 'revision': int, 'id': str, 'type': str, 'metadata': str}
MANIFEST = {'at': str, 'files': [{'name': str, 'sha256': str}], 'log': {'origin': str, 'size': int, 'root': str},
            'order': {'clientOrderId': str, 'merchant': str, 'orderId': str}, 'streams': [{'name': str, 'isWhole': bool, 'events': int}]}

# Ed25519, RFC 8032, section 5.1. Points are (X, Y, Z, T).
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def point_add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        scalar >>= 1
    return result


def point_decode(data):
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def is_signature(key, message, signature):
    public, r, s = point_decode(key), point_decode(signature[:32]), int.from_bytes(signature[32:], 'little')
    if len(key) != 32 or len(signature) != 64 or public is None or r is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % ORDER
    base = point_decode((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))
    left, right = point_multiply(s, base), point_add(r, point_multiply(k, public))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def say(text, file=None):
    """Prints a line in ASCII: a pack holds texts of others, which may steer a terminal, and not every console can show them."""
    print(''.join(c if ' ' <= c <= '~' else '\\u{%x}' % ord(c) for c in text), file=file or sys.stdout)


class Wrong(Exception):
    """Faults behind which nothing more can be checked."""


def decoded(text):
    """The bytes of a text in base64; None where it is not the one text that stands for them."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


class Key:
    """The public key of a service, as NAME+ID+BASE64. It signs for each log under that log's name."""

    def __init__(self, text):
        name, key_id, self.text = (text.strip().split('+', 2) + ['', ''])[:3]
        self.data = decoded(self.text) or b''
        if len(self.data) != 33 or self.data[0] != 1 or self.id_of(name).hex() != key_id:
            raise Wrong('log-key.txt: not a key of the form NAME+ID+BASE64')

    def id_of(self, name):
        return sha256(name.encode() + b'\n' + self.data)[:4]

    def has_signed(self, note, name):
        """Whether it signed the note under this name."""
        text, _, lines = note.rpartition('\n\n')
        for match in re.finditer('^\u2014 %s (\\S+)$' % re.escape(name), lines, re.MULTILINE):
            data = decoded(match[1]) or b''
            if data[:4] == self.id_of(name):
                return is_signature(self.data[1:], (text + '\n').encode(), data[4:])
        return False


def prefixed(*texts):
    """Each text after its length in bytes and a colon."""
    return b''.join(b'%d:%s' % (len(data), data) for data in (text.encode() for text in texts))


def sha256(data):
    return hashlib.sha256(data).digest()


def is_included(leaf, index, size, root, path):
    """RFC 9162, section 2.1.3.2."""
    node, last, value = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if node & 1 or node == last:
            value = sha256(b'\x01' + sibling + value)
            while not node & 1 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            value = sha256(b'\x01' + value + sibling)
        node, last = node >> 1, last >> 1
    return 0 <= index < size and last == 0 and value == root


def is_like(value, form):
    """Whether JSON is of the form. Neither 1.0 nor true is an int here."""
    if isinstance(form, list):
        return isinstance(value, list) and all(is_like(item, form[0]) for item in value)
    if isinstance(form, dict):
        return isinstance(value, dict) and all(is_like(value.get(name), form[name]) for name in form)
    return type(value) is form and (form is not int or abs(value) < 2**53)


def refused(number):
    raise ValueError('%s is not a whole number' % number)


def json_of(what, text, form):
    """JSON in UTF-8. All its numbers are whole, as in every event."""
    try:
        value = json.loads(text if isinstance(text, str) else str(text, 'utf-8'), parse_float=refused, parse_constant=refused)
    except (ValueError, RecursionError):
        value = None
    if not is_like(value, form):
        raise Wrong('%s: not JSON of the form that it has in a pack' % what)
    return value


def check_files(files, manifest, key, fault):
    """Manifest and head of the tree are signed, and each file is the one that the manifest names. Returns what was signed and when."""
    log, notes = manifest['log'], {name: str(files[name], 'utf-8', 'replace') for name in ('manifest.sig', 'checkpoint.txt')}
    signed = re.fullmatch('evidence-pack-2\n([0-9a-f]{64})\n(time [^\n]+)\n\n[^\n]+\n', notes['manifest.sig'])
    for name, note in notes.items():
        if not key.has_signed(note, log['origin']):
            fault('%s: not signed by this key' % name)
    if signed is None:
        fault('manifest.sig: not the digest of a manifest and a time under one signature')
    elif signed[1] != sha256(files['manifest.json']).hex():
        fault('manifest.json: not the one that was signed')
    if notes['checkpoint.txt'].split('\n')[:3] != [log['origin'], str(log['size']), log['root']]:
        fault('checkpoint.txt: not the tree that the manifest names')
    listed = {entry['name']: entry['sha256'] for entry in manifest['files']}
    for name in LISTED:
        if listed.get(name) != sha256(files[name]).hex():
            fault('%s: not the one that the manifest names' % name)
    return signed


def check_event(where, event, proof, tree, fault):
    """The event lies in the tree where its proof says. Returns the hash of its link in the stream's chain, None where its data were withheld."""
    data = event.get('data')
    digest = sha256(data.encode()).hex() if isinstance(data, str) else str(event.get('dataDigest'))
    head = (event['stream'], str(event['revision']), event['id'], event['type'])
    leaf = sha256(b'\x00' + prefixed('log-leaf-1', *head, digest, event['metadata']))
    path = [decoded(node) for node in proof['path']]
    if None in path or not is_included(leaf, proof['index'], tree[0], tree[1], path):
        fault('%s: not in the log as it stands here: changed, or of another place' % where)
    return sha256(prefixed(event['id'], event['type'], data, event['metadata'])).hex() if isinstance(data, str) else None


def check_events(files, manifest, fault):
    tree = (manifest['log']['size'], decoded(manifest['log']['root']))
    lines = [line for line in str(files['events.ndjson'], 'utf-8', 'replace').split('\n') if line]
    events = [json_of('event %d' % number, line, EVENT) for number, line in enumerate(lines, 1)]
    proofs = json_of('proofs.json', files['proofs.json'], {'events': [{'index': int, 'path': [str]}]})['events']
    if len(events) != len(proofs):
        fault('%d events and %d proofs' % (len(events), len(proofs)))
    streams = {stream['name']: stream for stream in manifest['streams']}
    last, before, counts = -1, {}, {}
    for number, (event, proof) in enumerate(zip(events, proofs), 1):
        stream, revision = event['stream'], event['revision']
        where = 'event %d (%s, %s revision %d)' % (number, event['type'], stream, revision)
        counts[stream] = counts.get(stream, 0) + 1
        if stream not in streams:
            fault('%s: of a stream that is not in the manifest: spliced from elsewhere' % where)
        if proof['index'] <= last:
            fault('%s: stands behind one that came later: reordered' % where)
        last, link = max(last, proof['index']), check_event(where, event, proof, tree, fault)
        known, previous = before.get(stream, (-1, None))
        if streams.get(stream, {}).get('isWhole') and revision != known + 1:
            fault('%s: revision %d is expected: an event is missing, or stands twice' % (where, known + 1))
        elif revision == known + 1 and previous is not None and json_of(where, event['metadata'], {}).get('previousHash') != previous:
            fault('%s: does not follow the event before it' % where)
        before[stream] = (revision, link)
    for name, stream in streams.items():
        if counts.get(name, 0) != stream['events']:
            fault('%s: %d events, and the manifest names %d: one is missing, or too many' % (name, counts.get(name, 0), stream['events']))
    return len(events)


def zip_of(files):
    """The one zip that the service makes of these files, stored and of no time: what readers of zips pass over cannot be changed unseen either."""
    entries, directory = b'', b''
    for name, data in files.items():
        head = ENTRY.pack(20, 0, 0, 0, 33, binascii.crc32(data), len(data), len(data), len(name), 0)
        directory += b'PK\1\2\x14\0' + head + struct.pack('<3H2L', 0, 0, 0, 0, len(entries)) + name.encode()
        entries += b'PK\3\4' + head + name.encode() + data
    return entries + directory + struct.pack('<4s4H2LH', b'PK\5\6', 0, 0, len(files), len(files), len(directory), len(entries), 0)


def read_pack(path, fault):
    with open(path, 'rb') as file:
        pack = file.read(SIZE_MAX + 1)
    if pack[:4] != b'PK\3\4' or len(pack) > SIZE_MAX:
        raise OSError('it does not begin as a pack does, or is larger than %d bytes' % SIZE_MAX)
    files, at = {}, 0
    while pack[at:at + 4] == b'PK\3\4' and at + 4 + ENTRY.size <= len(pack):
        _, flags, method, _, _, _, size, _, *lengths = ENTRY.unpack_from(pack, at + 4)
        name, at = pack[at + 30:at + 30 + lengths[0]].decode('utf-8', 'replace'), at + 30 + sum(lengths)
        data, at = pack[at:at + size], at + size
        if flags != 0 or method != 0 or len(data) < size:
            raise Wrong('%s: compressed, encrypted or cut off: the service stores each file whole' % name)
        if name not in NAMES or name in files:
            fault('%s: %s' % (name, 'stands twice in it' if name in files else 'does not belong to a pack'))
        files.setdefault(name, data)
    missing = ['%s: missing, or not where it can be read' % name for name in NAMES if name not in files]
    if missing:
        raise Wrong(*missing)
    sound = zip_of({name: files[name] for name in NAMES})
    if pack != sound:
        first = next((at for at, (one, other) in enumerate(zip(pack, sound)) if one != other), min(len(pack), len(sound)))
        fault('the zip: from its byte %d on not as the service makes it of these files' % first)
    return files


def key_given(argument):
    for text in (lambda: argument, lambda: open(argument, encoding='utf-8').read(SIZE_MAX)):
        try:
            return Key(text())
        except (OSError, ValueError, Wrong):
            pass
    raise OSError('--key: not a key of the form NAME+ID+BASE64, nor a file with one')


def main(arguments):
    is_help = arguments in (['--help'], ['-h'])
    if is_help or len(arguments) not in (1, 3) or arguments[1:2] not in ([], ['--key']):
        print(__doc__, file=sys.stdout if is_help else sys.stderr)
        return 0 if is_help else 2
    faults = []
    try:
        given = key_given(arguments[2]) if len(arguments) == 3 else None
        files = read_pack(arguments[0], faults.append)
        key = given or Key(str(files['log-key.txt'], 'utf-8', 'replace'))
        manifest = json_of('manifest.json', files['manifest.json'], MANIFEST)
        signed = check_files(files, manifest, key, faults.append)
        count = check_events(files, manifest, faults.append)
    except Wrong as wrong:
        faults.extend(wrong.args)
    except (OSError, MemoryError) as error:
        say('cannot be checked: %s' % (error or 'too large for the memory that there is'), sys.stderr)
        return 2
    except Exception as error:  # Of what kind depends on Python's version.
        faults.append('the pack: not of the form that it has (%s)' % error)
    for fault in faults:
        say('WRONG %s' % fault)
    if faults:
        return 1
    say('signed by %s, %s' % (manifest['log']['origin'], signed[2]))
    say('order %(orderId)s (%(clientOrderId)s) of %(merchant)s' % manifest['order'] + ', as of %s' % manifest['at'])
    say('%d events of %d streams, each in the log %s' % (count, len(manifest['streams']), manifest['log']['origin']))
    own = 'IT HOLDS UNDER THE KEY IN IT, which says nothing of who signed it: compare that key with the published one, which ends in %s'
    say('ALL OF IT HOLDS' if given else own % key.text)
    return 0 if given else 3


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
