import type { CardUid } from '@app/kernel';
import { migrate, serveGroupedWrites, type Database } from '@app/databases/sqlite';
import { type KnownAnswer, keyRingProblem } from '../keys/key-ring';
import { LogTruncation, VAULT_MIGRATIONS, type VaultJob, type VaultJobResult } from './vault-file';
import { drawOrderKeys, wrapOrderKeys, WRAPPED_ORDER_KEY_BYTES } from '../keys/order-keys';

const insertsCards = (db: Database) => {
  type UidRow = { uid: CardUid } | undefined;
  const uidOf = db.prepare('SELECT uid FROM card_uids WHERE merchant = ? AND idx = ?');
  const takeUid = db.prepare(
    'INSERT INTO card_uids (merchant, idx, idx_key_id, uid, uid_number) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING uid',
  );
  const insertCard = db.prepare('INSERT INTO cards (merchant, handle, blob, owner, created_ms, ownerless) VALUES (?, ?, ?, ?, ?, 1)');

  return ({ card }: VaultJob<'insert-card'>): VaultJobResult<'insert-card'> => {
    const { merchant, indexes, handle, blob, owner, createdAt } = card;
    const known = indexes.map(({ index }) => uidOf.get(merchant, index) as UidRow).find((row) => row !== undefined);
    const first = indexes[0];
    if (first === undefined) throw new Error('a card without an index');
    const row = known ?? (takeUid.get(merchant, first.index, first.keyId, card.uid, card.uidNumber) as UidRow);
    if (row === undefined) return { kind: 'uid-taken' };
    insertCard.run(merchant, handle, blob, owner, createdAt);
    return { kind: 'kept', uid: row.uid };
  };
};

const shredsCards = (db: Database, log: LogTruncation) => {
  const lengthOf = db.prepare('SELECT length(blob) AS bytes FROM cards WHERE merchant = ? AND handle = ?');
  const shredCard = db.prepare('UPDATE cards SET blob = ?, ownerless = 0 WHERE merchant = ? AND handle = ?');

  return ({ merchant, handle }: VaultJob<'shred-card'>): VaultJobResult<'shred-card'> => {
    const row = lengthOf.get(merchant, handle) as { bytes: number } | undefined;
    if (row === undefined) return false;
    shredCard.run(new Uint8Array(row.bytes), merchant, handle);
    log.shredded();
    return true;
  };
};

const makesOrderKeys = (db: Database) => {
  const insertKey = db.prepare('INSERT INTO order_keys (id, kek_id, wrapped) VALUES (?, ?, ?)');

  return ({ count, kekId, kek }: VaultJob<'make-order-keys'>): VaultJobResult<'make-order-keys'> => {
    const block = drawOrderKeys(count);
    for (const { id, wrapped } of wrapOrderKeys(block, kekId, kek)) insertKey.run(id, kekId, wrapped);
    queueMicrotask(() => block.keys.fill(0)); // the answer is a copy and has been sent
    return block;
  };
};

const erasesOrderKeys = (db: Database, log: LogTruncation) => {
  const eraseKey = db.prepare('UPDATE order_keys SET wrapped = ? WHERE id = ?');
  const erased = new Uint8Array(WRAPPED_ORDER_KEY_BYTES);

  return ({ ids }: VaultJob<'erase-order-keys'>): VaultJobResult<'erase-order-keys'> => {
    const unknown = ids.filter((id) => Number(eraseKey.run(erased, id).changes) === 0);
    log.shredded();
    return unknown;
  };
};

const replacesRows = (db: Database) => {
  const card = db.prepare('UPDATE cards SET blob = ? WHERE handle = ? AND blob = ?');
  const orderKey = db.prepare('UPDATE order_keys SET kek_id = ?, wrapped = ? WHERE id = ? AND wrapped = ?');
  const changed = (count: number, { changes }: { readonly changes: number | bigint }): number => count + Number(changes);

  return {
    cards: ({ rows }: VaultJob<'replace-cards'>): number =>
      rows.reduce((count, { handle, was, becomes }) => changed(count, card.run(becomes, handle, was)), 0),
    orderKeys: ({ rows }: VaultJob<'replace-order-keys'>): number =>
      rows.reduce((count, { id, was, becomes }) => changed(count, orderKey.run(becomes.kekId, becomes.wrapped, id, was)), 0),
  };
};

const recognisesKeys = (db: Database) => {
  const all = db.prepare('SELECT name, answer FROM known_answers');
  const remember = db.prepare('INSERT INTO known_answers (name, answer) VALUES (?, ?)');

  return ({ answers, retired }: VaultJob<'recognise-keys'>): VaultJobResult<'recognise-keys'> => {
    const remembered = all.all() as unknown as KnownAnswer[];
    const problem = keyRingProblem(remembered, answers, new Set(retired));
    if (problem !== undefined) return problem;
    const known = new Set(remembered.map(({ name }) => name));
    for (const { name, answer } of answers) if (!known.has(name)) remember.run(name, answer);
    return undefined;
  };
};

serveGroupedWrites<VaultJob, VaultJobResult>((db, path) => {
  migrate(db, path, VAULT_MIGRATIONS);
  const log = new LogTruncation(db);
  const insertCard = insertsCards(db);
  const shredCard = shredsCards(db, log);
  const makeOrderKeys = makesOrderKeys(db);
  const eraseOrderKeys = erasesOrderKeys(db, log);
  const recogniseKeys = recognisesKeys(db);
  const replace = replacesRows(db);
  const own = db.prepare('UPDATE cards SET ownerless = 0 WHERE merchant = ? AND handle = ?');
  return (job) => {
    switch (job.kind) {
      case 'insert-card':
        return insertCard(job);
      case 'shred-card':
        return shredCard(job);
      case 'mark-owned':
        return Number(own.run(job.merchant, job.handle).changes) > 0;
      case 'make-order-keys':
        return makeOrderKeys(job);
      case 'erase-order-keys':
        return eraseOrderKeys(job);
      case 'replace-cards':
        return replace.cards(job);
      case 'replace-order-keys':
        return replace.orderKeys(job);
      case 'recognise-keys':
        return recogniseKeys(job);
      case 'log-is-clean':
        return log.isClean();
    }
  };
});
