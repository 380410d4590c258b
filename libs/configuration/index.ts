export type { ApprovalRule, ApprovalRules, Configuration, EgressSettings } from './configuration';
export type { GateSettings } from './gates';
export { isSameSetting, LiveConfiguration } from './live-configuration';
export { configurationFrom, loadConfiguration } from './load-configuration';
export { loadProducts, productsFrom } from './load-products';
export { readMerchantServerEnvironment } from './merchant-server-environment';
export {
  type Accounts,
  accountsOf,
  type BinData,
  callbackSecretsAt,
  controlKeysAt,
  type Endpoint,
  endpointFor,
  type EntryPoint,
  firstEndpointOf,
  type Merchant,
  type Screening,
  servesOperation,
  OPERATION_NAMES,
  type OperationName,
  type RoutingRule,
} from './merchants/accounts';
export { LOGIN } from './merchants/merchant.schema';
export { PAYER_PAGE_CHARACTERS, type RefusalOfTarget } from './merchants/rules';
export { commissionRange, type Product, productEndpointFor, type Products, productsOf } from './merchants/products';
export {
  isOperatorToken,
  newOperatorToken,
  readOperatorToken,
  readOrMakeOperatorToken,
  sha256OfToken,
  type Operator,
  OPERATOR_NAME,
  OPERATOR_NAME_FORM,
  OPERATOR_ROLES,
  type OperatorRole,
  type GroupRole,
  type SignInSettings,
} from './operator-token';
export { makeSignInCode, useSignInCode } from './sign-in-code';
export { type OrchestratorEnvironment, readEnvironment } from './orchestrator-environment';
export { prepareDataFolder, type EnvironmentVariables, parseStoreUrl, storeAddress } from './reading/environment';
export { packageRoot, packageVersion } from './reading/package-root';
export { ConfigurationFault } from './reading/fault';
export { type IpAddress, ipRange, type IpRange, isInRange, parseIp, parseIpRange } from './reading/scalars';
export { lineOfPath } from './reading/yaml-document';
export { loadWhatIfRules, type WhatIfEndpoint, type WhatIfRules, whatIfRulesFrom } from './what-if-rules';
