import type { INestApplication } from '@nestjs/common';

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program (EADDRINUSE): set it to a free port, or to 0 for any',
  EACCES: 'needs a privileged user (EACCES): set it to a port above 1023',
  EADDRNOTAVAIL: 'cannot be opened: the host is not an address of this machine',
  ENOTFOUND: 'cannot be opened: the host is unknown',
};

/** The address cannot be used. The message names the setting. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * @param setting the variable that contains the port
 * @throws AddressRefused with a one-line reason
 */
export const listenAt = async (
  app: Pick<INestApplication, 'listen'>,
  { setting, port, host }: { readonly setting: string; readonly port: number; readonly host: string },
): Promise<void> => {
  try {
    await app.listen(port, host);
  } catch (error) {
    const words = WORDS[(error as NodeJS.ErrnoException).code ?? ''];
    if (words === undefined) throw error;
    throw new AddressRefused(`${setting}: ${host}:${port} ${words}`);
  }
};
