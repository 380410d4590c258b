#!/usr/bin/env python3
"""Checks an evidence pack offline: python3 verify.py PACK.zip [--key NAME+ID+BASE64 or a file with it]

Exit code 0 where all of it holds, 1 where something does not (each fault in a line), 2 where it could not be checked.
Needs nothing but Python 3.8. Signatures are Ed25519 (RFC 8032), the tree is that of RFC 6962, signed texts are C2SP notes.
"""
import base64
import hashlib
import json
import re
import sys
import zipfile

SIZE_MAX = 256 * 1024 * 1024
NAMES = ('README.txt', 'checkpoint.txt', 'events.ndjson', 'evidence.json', 'log-key.txt', 'proofs.json', 'timeline.html', 'verify.py')
SIGNED = ('manifest.json', 'manifest.sig')

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
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def is_signature(key, message, signature):
    public, r = point_decode(key), point_decode(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if len(key) != 32 or len(signature) != 64 or public is None or r is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % ORDER
    base = point_decode((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))
    left, right = point_multiply(s, base), point_add(r, point_multiply(k, public))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def say(text, file=None):
    """Prints a line in ASCII: a pack holds texts of others, which may steer a terminal, and not every console can show them."""
    print(''.join(c if ' ' <= c <= '~' else '\\u{%x}' % ord(c) for c in text), file=file or sys.stdout)


class Key:
    """The public key of a service, as NAME+ID+BASE64. It signs for each log under that log's name."""

    def __init__(self, text):
        name, key_id, self.text = text.strip().split('+', 2)
        self.data = base64.b64decode(self.text, validate=True)
        if len(self.data) != 33 or self.data[0] != 1:
            raise ValueError('not an Ed25519 key')
        if self.id_of(name).hex() != key_id:
            raise ValueError('the id of the key is not its own')

    def id_of(self, name):
        return hashlib.sha256(name.encode() + b'\n' + self.data).digest()[:4]

    def text_of(self, note, name):
        """The text of a note that the key signed under this name, else None."""
        text, found, lines = note.rpartition('\n\n')
        for line in lines.split('\n') if found else ():
            match = re.fullmatch('\u2014 (\\S+) ([A-Za-z0-9+/]+={0,2})', line)
            data = base64.b64decode(match[2]) if match else b''
            if match and match[1] == name and data[:4] == self.id_of(name):
                return text + '\n' if is_signature(self.data[1:], (text + '\n').encode(), data[4:]) else None
        return None


def prefixed(*texts):
    """Each text after its length in bytes and a colon."""
    return b''.join(b'%d:%s' % (len(data), data) for data in (text.encode() for text in texts))


def sha256(data):
    return hashlib.sha256(data).digest()


def is_included(leaf, index, size, root, path):
    """RFC 9162, section 2.1.3.2."""
    if not 0 <= index < size:
        return False
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
    return last == 0 and value == root


def check_files(files, origin, key, fault):
    """The manifest is signed, and each file is the one that it names."""
    signed = key.text_of(files['manifest.sig'].decode(), origin)
    manifest = files['manifest.json']
    if signed is None:
        fault('manifest.sig: not signed by this key')
    else:
        form, digest, time = (signed.split('\n') + ['', '', ''])[:3]
        if form != 'evidence-pack-1' or digest != hashlib.sha256(manifest).hexdigest():
            fault('manifest.json: not the one that was signed')
        else:
            say('signed by %s, %s' % (origin, time))
    listed = {entry['name']: entry['sha256'] for entry in json.loads(manifest)['files']}
    for name in NAMES:
        if listed.get(name) != hashlib.sha256(files[name]).hexdigest():
            fault('%s: not the one that the manifest names' % name)


def check_checkpoint(files, manifest, key, fault):
    """The head of the tree is signed. Returns its size and root."""
    log = manifest['log']
    text = key.text_of(files['checkpoint.txt'].decode(), log['origin'])
    if text is None:
        fault('checkpoint.txt: not signed by this key')
        text = files['checkpoint.txt'].decode()
    origin, size, root = (text.split('\n') + ['', '', ''])[:3]
    if [log['origin'], str(log['size']), log['root']] != [origin, size, root]:
        fault('checkpoint.txt: not the tree that the manifest names')
    return int(size), base64.b64decode(root)


def check_event(where, event, proof, tree, fault):
    """The event lies in the tree where its proof says. Returns the hash of its link in the stream's chain, None where its data were withheld."""
    data = event.get('data')
    digest = event['dataDigest'] if data is None else hashlib.sha256(data.encode()).hexdigest()
    head = (event['stream'], str(event['revision']), event['id'], event['type'])
    leaf = sha256(b'\x00' + prefixed('log-leaf-1', *head, digest, event['metadata']))
    path = [base64.b64decode(node) for node in proof['path']]
    if not is_included(leaf, proof['index'], tree[0], tree[1], path):
        fault('%s: not in the log as it stands here: changed, or of another place' % where)
    if data is None:
        return None
    return hashlib.sha256(prefixed(event['id'], event['type'], data, event['metadata'])).hexdigest()


def check_events(files, manifest, tree, fault):
    events = [json.loads(line) for line in files['events.ndjson'].decode().split('\n') if line]
    proofs = json.loads(files['proofs.json'])['events']
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
        last = max(last, proof['index'])
        link = check_event(where, event, proof, tree, fault)
        known, previous = before.get(stream, (-1, None))
        if streams.get(stream, {}).get('isWhole') and revision != known + 1:
            fault('%s: revision %d is expected: an event is missing, or stands twice' % (where, known + 1))
        elif revision == known + 1 and previous is not None and json.loads(event['metadata'])['previousHash'] != previous:
            fault('%s: does not follow the event before it' % where)
        before[stream] = (revision, link)
    for name, stream in streams.items():
        if counts.get(name, 0) != stream['events']:
            fault('%s: %d events, and the manifest names %d: one is missing, or too many' % (name, counts.get(name, 0), stream['events']))
    return len(events)


def read_pack(path, fault):
    with zipfile.ZipFile(path) as pack:
        entries = pack.infolist()
        if sum(entry.file_size for entry in entries) > SIZE_MAX:
            raise ValueError('larger than %d bytes' % SIZE_MAX)
        names = [entry.filename for entry in entries]
        for name in sorted(set(names) - set(NAMES + SIGNED)):
            fault('%s: does not belong to a pack' % name)
        if len(names) != len(set(names)):
            fault('a file stands twice in it')
        missing = [name for name in NAMES + SIGNED if name not in names]
        if missing:
            raise ValueError('it lacks %s' % ', '.join(missing))
        return {name: pack.read(name) for name in NAMES + SIGNED}


def key_of(argument, files):
    if argument is None:
        key = Key(files['log-key.txt'].decode())
        say('the key came with the pack; compare it with the one that the service publishes, which ends in %s' % key.text)
        return key
    try:
        with open(argument, encoding='utf-8') as file:
            argument = file.read()
    except OSError:
        pass
    return Key(argument)


def main(arguments):
    if len(arguments) not in (1, 3) or (len(arguments) == 3 and arguments[1] != '--key'):
        print(__doc__, file=sys.stderr)
        return 2
    faults = []
    try:
        files = read_pack(arguments[0], faults.append)
        key = key_of(arguments[2] if len(arguments) == 3 else None, files)
        manifest = json.loads(files['manifest.json'])
        check_files(files, manifest['log']['origin'], key, faults.append)
        count = check_events(files, manifest, check_checkpoint(files, manifest, key, faults.append), faults.append)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, zipfile.BadZipFile) as error:
        say('not a pack that can be checked: %s' % (error or type(error).__name__), sys.stderr)
        for fault in faults:
            say('WRONG %s' % fault)
        return 1 if faults else 2
    for fault in faults:
        say('WRONG %s' % fault)
    if faults:
        return 1
    order = manifest['order']
    say('order %s (%s) of %s, as of %s' % (order['orderId'], order['clientOrderId'], order['merchant'], manifest['at']))
    say('%d events of %d streams, each in the log %s' % (count, len(manifest['streams']), manifest['log']['origin']))
    say('ALL OF IT HOLDS')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
