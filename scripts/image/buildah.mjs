import { join } from 'node:path';
import { run } from './machine.mjs';

export const buildahIn = (folder) => {
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  return (args, options) => run('buildah', [...store, ...args], options).trim();
};
