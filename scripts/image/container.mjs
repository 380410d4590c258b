import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync, chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './machine.mjs';

const USER = 1000;
/** crun needs a single cgroup hierarchy; a machine with both gets a separate view. No limits are set here. */
const OWN_VIEW = 'mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null || true; exec "$0" "$@"';

const crun = (folder, args) => [
  'unshare',
  ['--mount', 'bash', '-c', OWN_VIEW, 'crun', '--cgroup-manager=disabled', '--root', join(folder, 'crun'), ...args],
];

/** A container with the settings of docker-compose.yml: the image's user, read-only root, no capabilities, no new privileges, an isolated network. */
export class Container {
  #folder;
  #name;
  #child;
  #output = '';
  #ended;

  /** @param {{ folder: string, root: string, settings: object, args: string[], environment: Record<string, string>, mounts: Record<string, string> }} what */
  constructor({ folder, root, settings, args, environment, mounts }) {
    this.#folder = folder;
    const bundle = mkdtempSync(join(folder, 'bundle-'));
    this.#name = `image-${process.pid}-${bundle.slice(-6)}`;
    run('crun', ['spec'], { cwd: bundle });
    const spec = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'));
    spec.root = { path: root, readonly: true };
    Object.assign(spec.process, {
      terminal: false,
      args: args.length > 0 ? args : settings.Cmd,
      cwd: settings.WorkingDir,
      env: [...settings.Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)],
      user: { uid: USER, gid: USER },
      noNewPrivileges: true,
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
    });
    spec.mounts.push({ destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] });
    for (const [destination, source] of Object.entries(mounts)) {
      mkdirSync(source, { recursive: true, mode: 0o700 });
      chownSync(source, USER, USER);
      spec.mounts.push({ destination, type: 'none', source, options: ['bind', 'rw', 'nosuid', 'nodev'] });
    }
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec));
    const [command, given] = crun(folder, ['run', '--bundle', bundle, this.#name]);
    this.#child = spawn(command, given, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on('data', (bytes) => (this.#output += String(bytes)));
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => resolve(code ?? signal));
    });
  }

  get output() {
    return this.#output;
  }

  get isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  ended() {
    return this.#ended;
  }

  exec(args) {
    const [command, given] = crun(this.#folder, ['exec', this.#name, ...args]);
    return spawnSync(command, given, { stdio: 'ignore', timeout: 60_000 }).status;
  }

  signal(name) {
    const [command, given] = crun(this.#folder, ['kill', this.#name, name]);
    run(command, given);
  }

  remove() {
    const [command, given] = crun(this.#folder, ['delete', '--force', this.#name]);
    spawnSync(command, given, { stdio: 'ignore' });
  }
}
