export * from './merchants/accounts';
export type { GateSettings } from './gates/gate-settings';
export * from './configuration';
export { CONTROL_KEY_BYTES_MIN, isControlKey } from './reading/control-key';
export { PAYER_PAGE_CHARACTERS } from './merchants/device-rules';
export { LOG_LEVELS, type LogLevel } from './reading/environment-reader';
export { prepareDataFolder } from './reading/data-folder';
export type { EnvironmentVariables } from './reading/environment-text';
export { ConfigurationFault, type Fault } from './reading/fault';
export { ipRange, isInRange, parseIp, parseIpRange, type IpAddress, type IpRange } from './reading/ip-range';
export { configurationFrom, loadConfiguration } from './load-configuration';
export type { RefusalOfTarget } from './merchants/target-rules';
export { loadProducts, productsFrom } from './load-products';
export * from './merchant-server-environment';
export * from './merchants/operations';
export { loadWhatIfRules, whatIfRulesFrom, type WhatIfEndpoint, type WhatIfRules } from './what-if-rules';
export type { RoutingChoice, RoutingConditions, RoutingRule } from './merchants/routing';
export {
  isOperatorToken,
  newOperatorToken,
  OPERATOR_TOKEN_CHARACTERS_MAX,
  readOperatorToken,
  readOrMakeOperatorToken,
  sha256OfToken,
} from './operators/operator-token';
export { OPERATOR_NAME, OPERATOR_NAME_FORM, OPERATOR_ROLES, type Operator, type OperatorRole } from './operators/operators';
export * from './reading/package-root';
export * from './orchestrator-environment';
export * from './merchants/products';
export * from './reading/store-url';
