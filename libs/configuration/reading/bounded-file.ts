import { closeSync, fstatSync, openSync, readSync, constants } from 'node:fs';

/**
 * The text of a regular file of at most `bytesMax` bytes, or why there is none. Never blocks on a pipe.
 * @param onMode called with the mode of the very file that is read
 */
export const readBoundedFile = (path: string, bytesMax: number, onMode?: (mode: number) => void): string | { readonly problem: string } => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { problem: 'names no regular file' };
    onMode?.(stat.mode);
    if (stat.size > bytesMax) return { problem: `names a file of more than ${bytesMax} bytes` };
    const bytes = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return length > bytesMax ? { problem: `names a file of more than ${bytesMax} bytes` } : bytes.toString('utf8', 0, length);
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { problem: `names a file that cannot be read (${code})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};
