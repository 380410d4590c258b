export * from './accounts';
export * from './configuration';
export { CONTROL_KEY_BYTES_MIN, isControlKey } from './control-key';
export { PAYER_PAGE_CHARACTERS } from './device-rules';
export { LOG_LEVELS, type LogLevel } from './environment-reader';
export { prepareDataFolder } from './data-folder';
export type { EnvironmentVariables } from './environment-text';
export { ConfigurationFault, type Fault } from './fault';
export { ipRange, isInRange, parseIp, parseIpRange, type IpAddress, type IpRange } from './ip-range';
export { configurationFrom, loadConfiguration } from './load-configuration';
export type { RefusalOfTarget } from './target-rules';
export { loadProducts, productsFrom } from './load-products';
export * from './merchant-server-environment';
export * from './operations';
export {
  isOperatorToken,
  newOperatorToken,
  OPERATOR_TOKEN_CHARACTERS_MAX,
  readOperatorToken,
  readOrMakeOperatorToken,
  sha256OfToken,
} from './operator-token';
export { OPERATOR_NAME, OPERATOR_NAME_FORM, OPERATOR_ROLES, type Operator, type OperatorRole } from './operators';
export * from './package-root';
export * from './orchestrator-environment';
export * from './products';
export * from './store-url';
