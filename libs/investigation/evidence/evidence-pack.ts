import { unzipSync, zipSync, type ZipOptions } from 'fflate';
import { hash } from 'node:crypto';
import { isCheckpointOf, signNote } from '../log-proofs/checkpoint';
import type { SigningKey } from '../log-proofs/keys';
import type { Evidence } from './evidence';
import { manifestOf, packFiles, PACK_VERSION } from './pack-files';

export interface PackSettings {
  /** The text of `verify.py`, which goes along. */
  readonly verifier: string;
  /** The key that signed the checkpoint. */
  readonly key: SigningKey;
  /** When it is signed, ms since the epoch: all that differs between two packs of the same evidence. */
  readonly signedAtMs: number;
}

/**
 * Stored, so that the bytes of the zip follow from its files, and `verify.py` can tell of each whether it is ours: the same text can be compressed in many
 * ways. Zip has no instants, but local times: the first that it can hold, wherever it is made.
 */
const ONE_WAY: ZipOptions = { level: 0, mtime: new Date(1980, 0, 1) };

/**
 * One order's evidence as a zip that anybody can check offline: its events with their proofs, what the service says of them, a signed manifest, and the
 * program that checks it.
 * @throws Error where the checkpoint is not signed by the key, or does not cover an event
 */
export const packEvidence = (evidence: Evidence, { verifier, key, signedAtMs }: PackSettings): Uint8Array => {
  const { checkpoint, events } = evidence;
  if (!isCheckpointOf(checkpoint, key.verifier)) throw new Error('the checkpoint was signed by another key');
  if (events.some(({ index }) => index >= checkpoint.size)) throw new Error('an event lies behind the checkpoint');
  const files = packFiles(evidence, verifier, key.textFor(checkpoint.origin));
  const manifest = manifestOf(evidence, files);
  const signed = [`evidence-pack-${PACK_VERSION}`, hash('sha256', manifest, 'hex'), `time ${new Date(signedAtMs).toISOString()}`].map(
    (line) => `${line}\n`,
  );
  const whole = [
    ...files,
    { name: 'manifest.json', text: manifest },
    { name: 'manifest.sig', text: signNote(signed.join(''), checkpoint.origin, key) },
  ];
  return zipSync(Object.fromEntries(whole.map(({ name, text }) => [name, Buffer.from(text)])), ONE_WAY);
};

/** A file of a pack; undefined where it has none of this name. @throws Error where it is no zip */
export const fileInPack = (pack: Uint8Array, name: string): Uint8Array | undefined =>
  unzipSync(pack, { filter: (file) => file.name === name })[name];
