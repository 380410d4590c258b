export {
  ACCESS_TOKEN,
  DESTINATION_CLIENT_CARD_ID,
  FEES,
  invoiceIdOf,
  NONCE,
  type Script,
  ScriptedParties,
  SIGNATURE,
  SOURCE_CLIENT_CARD_ID,
  type Step,
  tokenOf,
} from './scripted-parties';
export { type ReceivedCall, type Reply, ScriptedServer } from './scripted-server';
