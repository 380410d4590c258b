import { createServer, type AddressInfo, type Server } from 'node:net';
import { CommandFailed } from '../command-failed';
import { freePort } from './free-port';

let taken: Server;
let takenPort: number;

beforeAll(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  takenPort = (taken.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => taken.close(resolve)));

it('a port that is named is that one where it is free, and else the variable is named', async () => {
  const free = await freePort('PORT', 0);
  expect(await freePort('PORT', free)).toBe(free);
  await expect(freePort('OPERATOR_PORT', takenPort)).rejects.toThrow(
    new CommandFailed(`port ${takenPort} is taken: set OPERATOR_PORT to a free one, or to 0 for any`),
  );
});

it('any port is none that the system gives to connections meanwhile, and none twice', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort('PORT', 0)));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(1_024);
    expect(port).toBeLessThan(32_768);
  }
});

it('any port is looked for until one is free, and not for ever', async () => {
  const free = await freePort('PORT', 0);
  const unusable = [takenPort, free, takenPort];
  let next = free;
  expect(await freePort('PORT', 0, () => unusable.shift() ?? ++next)).toBe(next);
  expect([unusable, next > free]).toStrictEqual([[], true]);
  await expect(freePort('CALLBACK_PORT', 0, () => takenPort)).rejects.toThrow('no free port was found for CALLBACK_PORT: set it to one');
});
