// Preloaded into a built command. Anything that a replay must not do (network, SQLite writes, writes below DATA_DIR) throws and is reported
// on standard error.
'use strict';
const dgram = require('node:dgram');
const dns = require('node:dns');
const fs = require('node:fs');
const net = require('node:net');
const Module = require('node:module');
const { basename, resolve, sep } = require('node:path');
const { DatabaseSync } = require('@photostructure/sqlite');

// Written even if the command catches the error.
const refuse = (what) => {
  fs.writeSync(2, `replay guard: ${what}\n`);
  throw new Error(what);
};
const refusing = (what) => () => refuse(what);

net.Socket.prototype.connect = refusing('a socket was opened');
net.Server.prototype.listen = refusing('a port was opened');
dgram.Socket.prototype.bind = refusing('a datagram socket was opened');
dgram.Socket.prototype.send = refusing('a datagram was sent');
for (const place of [dns, dns.promises]) {
  for (const name of Object.keys(place).filter((member) => /^(lookup|resolve|reverse)/.test(member))) {
    if (typeof place[name] === 'function') place[name] = refusing('a name was looked up');
  }
}

const WRITES = /^\s*(insert|update|delete|replace|create|drop|alter|vacuum|reindex|begin\s+(immediate|exclusive))\b/i;
/** Lets a test of a rebuild write a read model, but never the log. */
const allowed = process.env.REPLAY_GUARD_ALLOWS;
const guardedDatabase = (...given) => {
  const database = new DatabaseSync(...given);
  if (allowed !== undefined && basename(String(given[0])) === allowed) return database;
  for (const name of ['exec', 'prepare']) {
    const original = database[name].bind(database);
    const guarded = (sql, ...rest) => (WRITES.test(sql) ? refuse('a database was written to') : original(sql, ...rest));
    Object.defineProperty(database, name, { value: guarded });
  }
  return database;
};
// The package's exports are read-only, so `require` returns a proxy.
const sqlite = require('@photostructure/sqlite');
const load = Module._load;
Module._load = (name, ...rest) =>
  name === '@photostructure/sqlite'
    ? new Proxy(sqlite, {
        get: (target, member) =>
          member === 'DatabaseSync' ? new Proxy(DatabaseSync, { construct: (_, given) => guardedDatabase(...given) }) : target[member],
      })
    : load(name, ...rest);

const data = process.env.DATA_DIR === undefined ? undefined : resolve(process.env.DATA_DIR) + sep;
const isAllowed = (path) => allowed !== undefined && (resolve(path) + sep === data || basename(path).startsWith(allowed));
const isData = (path) => data !== undefined && typeof path === 'string' && (resolve(path) + sep).startsWith(data) && !isAllowed(path);
const isWriting = (flags) =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0
    : /[wa+]/.test(flags ?? 'r');
for (const place of [fs, fs.promises]) {
  for (const name of ['open', 'openSync']) {
    const original = place[name];
    if (original === undefined) continue;
    place[name] = function guarded(path, flags, ...rest) {
      if (isData(path) && isWriting(flags)) refuse('a file of the data was opened for writing');
      return original.call(this, path, flags, ...rest);
    };
  }
  for (const name of ['writeFile', 'appendFile', 'mkdir', 'rename', 'unlink', 'rm', 'truncate'].flatMap((member) => [
    member,
    `${member}Sync`,
  ])) {
    const original = place[name];
    if (original === undefined) continue;
    place[name] = function guarded(path, ...rest) {
      if (isData(path)) refuse('a file of the data was written');
      return original.call(this, path, ...rest);
    };
  }
}
