import { createSocket, type Socket } from 'node:dgram';
import { nameServerResolution, NameNotResolved, sharedResolution } from './addresses';

const A = 1;
const AAAA = 28;
const NAME_ERROR = 3;

/** Answers A and AAAA queries from a table, in the wire format of RFC 1035. */
const nameServer = async (
  records: Readonly<Record<string, readonly Buffer[]>>,
): Promise<{ socket: Socket; address: string; questions: string[] }> => {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, peer) => {
    let at = 12;
    const labels: string[] = [];
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.');
    questions.push(`${name} ${type === A ? 'A' : 'AAAA'}`);
    const known = records[name.toLowerCase()];
    const answers = (known ?? []).filter((bytes) => bytes.length === (type === A ? 4 : type === AAAA ? 16 : 0));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (known === undefined ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt16BE(0, 8);
    header.writeUInt16BE(0, 10);
    const rows = answers.map((bytes) => Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes]));
    socket.send(Buffer.concat([header, query.subarray(12, at + 5), ...rows]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { socket, address: `127.0.0.1:${socket.address().port}`, questions };
};

const v6 = (last: number) => Buffer.from([0x26, 0x06, ...Array<number>(13).fill(0), last]);

describe('a name server resolution', () => {
  it('queries both address families and alternates the answers', async () => {
    const { socket, address, questions } = await nameServer({
      'both.example': [Buffer.from([8, 8, 8, 8]), Buffer.from([8, 8, 4, 4]), v6(1)],
      'four.example': [Buffer.from([127, 0, 0, 1])],
      'six.example': [v6(2)],
      'none.example': [],
    });
    try {
      const resolve = nameServerResolution([address]);
      expect(await resolve('both.example')).toEqual(['8.8.8.8', '2606::1', '8.8.4.4']);
      expect(await resolve('four.example')).toEqual(['127.0.0.1']);
      expect(await resolve('six.example')).toEqual(['2606::2']);
      await expect(resolve('none.example')).rejects.toBeInstanceOf(NameNotResolved);
      await expect(resolve('unknown.example')).rejects.toBeInstanceOf(NameNotResolved);
      expect(questions.filter((question) => question.startsWith('both')).sort()).toEqual(['both.example A', 'both.example AAAA']);
    } finally {
      socket.close();
    }
  });
});

describe('a shared resolution', () => {
  it('queries once for simultaneous callers, and again for later callers', async () => {
    const asked: string[] = [];
    const resolve = sharedResolution((name) => {
      asked.push(name);
      return Promise.resolve([`address of ${name}, ${asked.length}`]);
    });
    const together = await Promise.all([resolve('a'), resolve('a'), resolve('b')]);
    expect(together).toEqual([['address of a, 1'], ['address of a, 1'], ['address of b, 2']]);
    expect(await resolve('a')).toEqual(['address of a, 3']);
  });

  it('does not cache a failure', async () => {
    let calls = 0;
    const resolve = sharedResolution(() => (calls++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve(['8.8.8.8'])));
    await expect(Promise.all([resolve('a'), resolve('a')])).rejects.toThrow('away');
    expect(await resolve('a')).toEqual(['8.8.8.8']);
  });

  it('resolves at most 256 names at once', async () => {
    const answers = new Map<string, (addresses: string[]) => void>();
    const resolve = sharedResolution((name) => new Promise((done) => answers.set(name, done)));
    const [first] = Array.from({ length: 256 }, (_, index) => resolve(`n${index}`));
    await expect(resolve('one-more')).rejects.toBeInstanceOf(NameNotResolved);
    answers.get('n0')?.(['8.8.8.8']);
    expect(await first).toEqual(['8.8.8.8']);
    const oneMore = resolve('one-more');
    answers.get('one-more')?.(['8.8.4.4']);
    expect(await oneMore).toEqual(['8.8.4.4']);
  });
});
