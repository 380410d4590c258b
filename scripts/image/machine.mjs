import { execFileSync, spawnSync } from 'node:child_process';

/** This machine cannot build or run an image; the image itself is not at fault. */
export class LeftOut extends Error {}

const TOOLS = ['buildah', 'crun', 'debootstrap', 'unshare'];
const INSTALL_TIMEOUT_MS = 300_000;

const isThere = (tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status === 0;
const quietly = (command, args, timeout) => spawnSync(command, args, { stdio: 'ignore', timeout }).status === 0;

/** Installs missing tools in CI; elsewhere only reports them. @throws LeftOut */
export const findTools = () => {
  if (process.platform !== 'linux') throw new LeftOut('the image was neither built nor run: that takes Linux');
  if (process.getuid() !== 0) throw new LeftOut('the image was neither built nor run: that takes root');
  const missing = () => TOOLS.filter((tool) => !isThere(tool));
  if (missing().length > 0 && process.env.CI !== undefined && isThere('apt-get')) {
    quietly('apt-get', ['update'], INSTALL_TIMEOUT_MS);
    quietly('apt-get', ['install', '--yes', '--no-install-recommends', ...missing()], INSTALL_TIMEOUT_MS);
  }
  if (missing().length > 0) throw new LeftOut(`the image was neither built nor run: not on this machine: ${missing().join(', ')}`);
};

export const run = (command, args, { cwd, input, timeout = 900_000, stderr = 'pipe' } = {}) =>
  execFileSync(command, args, { cwd, input, timeout, encoding: 'utf8', stdio: ['pipe', 'pipe', stderr], maxBuffer: 64 * 1_024 * 1_024 });
