import { join } from 'node:path';
import { run } from './machine.mjs';

/** `buildah` on a store of its own, which is gone with its folder. @param {string} folder */
export const buildahIn = (folder) => {
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  return (args, options) => run('buildah', [...store, ...args], options).trim();
};
