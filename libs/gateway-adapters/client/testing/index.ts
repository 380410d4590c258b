export {
  close,
  cutShort,
  drip,
  endlessly,
  held,
  hugeBody,
  hugeHeaders,
  malformedStatusLine,
  raw,
  redirect,
  reply,
  replyText,
  reset,
  silence,
  twice,
} from './answers';
export type { HeldAnswer, PeerAnswer, ReplyParts } from './answers';
export { muteServer, refusedBaseUrl, ScriptedPeer } from './scripted-peer';
export type { BrokenConnection, PeerOptions } from './scripted-peer';
export type { ReceivedRequest } from './request-reader';
