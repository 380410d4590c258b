import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser } from 'dockerfile-ast';
import { readEnvironment } from '@app/configuration';
import { copyFaults, keptBy, notCopied } from '../support/documents/build-context';
import { settingsAskedBy } from '../support/documents/settings-asked';

const ROOT = join(__dirname, '..', '..');
const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const dockerfile = textOf('Dockerfile');
const ignored = textOf('.dockerignore');
const instructions = DockerfileParser.parse(dockerfile).getInstructions();
const argumentsOf = (keyword: string): string[] =>
  instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getRawArgumentsContent() ?? '');
const lastStage = instructions.slice(instructions.map((one) => one.getKeyword()).lastIndexOf('FROM'));
const ofLastStage = (keyword: string): string[] =>
  lastStage.filter((one) => one.getKeyword() === keyword).map((one) => one.getRawArgumentsContent() ?? '');

describe('files copied by the Dockerfile', () => {
  it('exist and are not excluded by .dockerignore', () => {
    expect(copyFaults(ROOT, dockerfile, ignored)).toEqual([]);
  });

  it.each([
    ['a file that is left out', 'COPY jest.config.js ./', 'jest.config.js is left out by .dockerignore'],
    ['the second of two', 'COPY package.json jest.config.js ./', 'jest.config.js is left out by .dockerignore'],
    ['one beside a flag', 'COPY --chown=node:node --chmod=0644 jest.config.js ./', 'jest.config.js is left out by .dockerignore'],
    ['one of a list', 'COPY ["package.json", "jest.config.js", "./"]', 'jest.config.js is left out by .dockerignore'],
    ['one over two lines', 'COPY package.json \\\n  jest.config.js ./', 'jest.config.js is left out by .dockerignore'],
    ['an excluded folder', 'COPY test/ test/', 'test/ is left out by .dockerignore'],
    ['by ADD', 'ADD test test', 'test is left out by .dockerignore'],
    ['a file that is not there', 'COPY packages.json ./', 'packages.json is not there'],
    ['a pattern', 'COPY apps/* ./', 'apps/* is no plain path'],
    ['a variable', 'COPY $PLACE ./', '$PLACE is no plain path'],
  ])('are reported if faulty: %s', (_what, line, fault) => {
    expect(copyFaults(ROOT, `FROM base\n${line}\n`, ignored)).toEqual([`Dockerfile:2: ${fault}`]);
  });

  it('from another stage are not looked up in the folder', () => {
    expect(copyFaults(ROOT, 'FROM base AS one\nFROM base\nCOPY --from=one /build/dist dist\n', ignored)).toEqual([]);
  });

  it('are reported if .dockerignore excludes one of them', () => {
    const forgetful = ignored.replace('!tsconfig.json\n', '');
    expect(forgetful).not.toBe(ignored);
    expect(copyFaults(ROOT, dockerfile, forgetful)).toEqual([
      expect.stringMatching(/^Dockerfile:\d+: tsconfig\.json is left out by \.dockerignore$/),
    ]);
  });

  it('into the build stage include everything that the build reads', () => {
    const { files, folders } = JSON.parse(textOf('scripts/build/sources.json')) as { files: string[]; folders: string[] };
    const read = [...files, ...folders];
    const [stage = ''] = /^FROM base AS build$.*?(?=^FROM )/ms.exec(dockerfile) ?? [];
    expect(notCopied(ROOT, stage, ignored, read)).toEqual([]);
    expect(notCopied(ROOT, stage.replace('COPY scripts/build ', 'COPY scripts/build/build.mjs '), ignored, read)).toEqual([
      'scripts/build',
    ]);
    expect(notCopied(ROOT, stage.replace('COPY package.json ', 'COPY '), ignored, read)).toEqual(['package.json']);
    expect(notCopied(ROOT, stage, ignored.replace('!docs/openapi\n', ''), read)).toEqual(['docs/openapi']);
  });

  it.each([
    'data/orchestrator/vault-keyring.json',
    'config/acme.key.pem',
    'my-shop.yaml',
    '.env',
    'apps/orchestrator/.env',
    'node_modules/pg/package.json',
    'deploy/production.env',
    'libs/kernel/money.spec.ts',
    '.git/HEAD',
  ])('never include %s', (path) => {
    expect(keptBy(ignored)(path)).toBe(false);
  });
});

describe('the image', () => {
  it('builds all stages from one Node 24 base, and package.json allows Node 22 and later', () => {
    const [base, ...stages] = argumentsOf('FROM');
    expect(base).toMatch(/^node:24\.\d+\.\d+-bookworm-slim AS base$/);
    expect(stages).toEqual(['base AS build', 'base AS packages', 'base']);
    expect((JSON.parse(textOf('package.json')) as { engines: { node: string } }).engines.node).toContain('>=22');
  });

  it('is labelled with the version of package.json', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(ofLastStage('LABEL').join(' ')).toContain(`org.opencontainers.image.version="${version}"`);
  });

  it('installs packages without install scripts, and removes npm and development packages', () => {
    const installs = argumentsOf('RUN').filter((line) => line.startsWith('npm ci'));
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(line).toContain('--ignore-scripts');
    expect(installs[1]).toContain('--omit=dev');
    expect(ofLastStage('RUN').filter((line) => /\bnpm (ci|install|run)\b/.test(line))).toEqual([]);
    expect(ofLastStage('RUN')[0]).toMatch(/^rm .*\/usr\/local\/lib\/node_modules .*\/usr\/local\/bin\/npm /s);
  });

  it('runs as an ordinary user and stops on SIGTERM', () => {
    expect(ofLastStage('USER')).toEqual(['node']);
    expect(ofLastStage('STOPSIGNAL')).toEqual(['SIGTERM']);
    const order = lastStage.map((one) => one.getKeyword());
    expect(order.indexOf('USER')).toBeLessThan(order.indexOf('CMD'));
  });

  it('has labels for its title, license, version, revision and base', () => {
    const [labels = ''] = ofLastStage('LABEL');
    const { version, license, name } = JSON.parse(textOf('package.json')) as Record<string, string>;
    const base = argumentsOf('FROM')[0]?.split(' ')[0];
    for (const [label, value] of Object.entries({
      title: name,
      licenses: license,
      version,
      revision: '$REVISION',
      'base.name': `docker.io/library/${base}`,
    }))
      expect(labels).toContain(`org.opencontainers.image.${label}="${value}"`);
  });

  it('sets only settings that the service knows', () => {
    const set = [
      ...ofLastStage('ENV')
        .join(' ')
        .matchAll(/([A-Z_]+)=(\S+)/g),
    ];
    const environment = Object.fromEntries(set.map(([, name = '', value = '']) => [name, value]));
    expect(environment).toEqual({ NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: '/data' });
    expect(Object.keys(environment).filter((name) => !settingsAskedBy(readEnvironment).has(name))).toEqual([]);
  });

  it('checks health without starting Node', () => {
    expect(ofLastStage('HEALTHCHECK')).toEqual([expect.stringMatching(/CMD \["bash", "\/app\/deploy\/healthy\.sh"\]$/)]);
  });
});

describe('deploy/healthy.sh', () => {
  let server: Server;
  let answer: (socket: Socket, request: string) => void;
  const open = new Set<Socket>();

  beforeAll(async () => {
    server = createServer((socket) => {
      open.add(socket);
      let request = '';
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        request += bytes.toString();
        if (request.endsWith('\r\n\r\n')) answer(socket, request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const portOf = (): string => String((server.address() as AddressInfo).port);
  const ask = async (environment: Record<string, string> = {}): Promise<number> => {
    const path = process.env['PATH'] ?? '';
    const env = { PATH: path, OPERATOR_PORT: portOf(), ...environment };
    try {
      await promisify(execFile)('bash', [join(ROOT, 'deploy', 'healthy.sh')], { env });
      return 0;
    } catch (error) {
      return (error as { code: number }).code;
    }
  };
  const saying = (status: string) => (socket: Socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);

  it.each([
    ['200 OK', 0],
    ['503 Service Unavailable', 1],
    ['2000 Nonsense', 1],
    ['404 Not Found', 1],
  ])('exits after %s with code %d', async (status, code) => {
    answer = saying(status);
    expect(await ask()).toBe(code);
  });

  it('sends a valid HTTP request for /health/ready', async () => {
    let asked = '';
    answer = (socket, request) => {
      asked = request;
      saying('200 OK')(socket);
    };
    expect(await ask({ OPERATOR_HOST: '0.0.0.0' })).toBe(0);
    expect(asked).toBe(`GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1:${portOf()}\r\nConnection: close\r\n\r\n`);
  });

  it('exits with 1 if the port is closed or the server does not respond', async () => {
    answer = (socket) => socket.destroy();
    expect(await ask()).toBe(1);
    expect(await ask({ OPERATOR_PORT: '1' })).toBe(1);
  });
});
