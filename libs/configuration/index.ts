export type { Configuration, EgressSettings } from './configuration';
export type { GateSettings } from './gates';
export { configurationFrom, loadConfiguration } from './load-configuration';
export { loadProducts, productsFrom } from './load-products';
export { readMerchantServerEnvironment } from './merchant-server-environment';
export {
  type Accounts,
  accountsOf,
  type BinData,
  type Endpoint,
  endpointFor,
  type EntryPoint,
  firstEndpointOf,
  type Merchant,
  type Screening,
  servesOperation,
} from './merchants/accounts';
export { PAYER_PAGE_CHARACTERS } from './merchants/device-rules';
export { OPERATION_NAMES, type OperationName } from './merchants/operations';
export { commissionRange, type Product, productEndpointFor, type Products, productsOf } from './merchants/products';
export type { RoutingRule } from './merchants/routing';
export type { RefusalOfTarget } from './merchants/target-rules';
export { isOperatorToken, newOperatorToken, readOperatorToken, readOrMakeOperatorToken, sha256OfToken } from './operator-token';
export { type Operator, OPERATOR_NAME, OPERATOR_NAME_FORM, OPERATOR_ROLES, type OperatorRole } from './operators';
export { type OrchestratorEnvironment, readEnvironment } from './orchestrator-environment';
export { prepareDataFolder } from './reading/data-folder';
export type { EnvironmentVariables } from './reading/environment-text';
export { ConfigurationFault } from './reading/fault';
export { type IpAddress, ipRange, type IpRange, isInRange, parseIp, parseIpRange } from './reading/ip-range';
export { packageRoot, packageVersion } from './reading/package-root';
export { parseStoreUrl, storeAddress } from './reading/store-url';
export { loadWhatIfRules, type WhatIfEndpoint, type WhatIfRules, whatIfRulesFrom } from './what-if-rules';
