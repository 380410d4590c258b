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
export type { PeerAnswer } from './answers';
export { muteServer, refusedBaseUrl, ScriptedPeer } from './scripted-peer';
export type { PeerOptions } from './scripted-peer';
export type { ReceivedRequest } from './request-reader';
