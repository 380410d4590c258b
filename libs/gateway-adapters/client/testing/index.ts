export {
  close,
  cutShort,
  drip,
  endlessly,
  held,
  hugeBody,
  hugeHeaders,
  malformedStatusLine,
  type PeerAnswer,
  raw,
  redirect,
  reply,
  replyText,
  reset,
  silence,
  twice,
} from './answers';
export type { ReceivedRequest } from './request-reader';
export { muteServer, type PeerOptions, refusedBaseUrl, ScriptedPeer } from './scripted-peer';
