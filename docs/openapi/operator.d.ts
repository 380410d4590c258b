export interface paths {
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The process answers */
    get: operations['live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The process is ready */
    get: operations['ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Figures for Prometheus
     * @description Open to everyone. With OPERATOR_METRICS=token, needs the role viewer or above.
     */
    get: operations['scrape'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The operator who asks, and the installation
     * @description Needs the role viewer or above.
     */
    get: operations['showSession'];
    put?: never;
    /**
     * Exchanges an operator’s token for a session in a cookie
     * @description Needs no other token.
     */
    post: operations['signIn'];
    /**
     * Ends the session. A copy of its cookie is refused by every process within five seconds
     * @description Needs the role viewer or above.
     */
    delete: operations['signOut'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/installation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The installation, before a sign-in */
    get: operations['installation'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/oidc': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Redirects to the house’s provider (OpenID Connect) */
    get: operations['startAtHouse'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/oidc/callback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The provider’s redirect back, which begins a session */
    get: operations['finishAtHouse'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sessions/{operator}/ending': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ends all sessions of an operator, in every process within seconds. Tokens stay valid, and the operator can sign in again
     * @description Needs the role admin or above.
     */
    post: operations['endSessions'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/unknown': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Orders with an unknown outcome, including that of a follow-up, the longest unknown first
     * @description Needs the role viewer or above.
     */
    get: operations['listUnknown'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Callbacks of all orders from their first attempt on, oldest first
     * @description Needs the role viewer or above.
     */
    get: operations['findDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/disputes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Chargebacks by the day on which the answer is due; those without a day last
     * @description Needs the role viewer or above.
     */
    get: operations['listDisputes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/activity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What operators did, asked and were refused, and changes of the configuration, newest first
     * @description Needs the role investigator or above.
     */
    get: operations['listActivity'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/find': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The orders that an identifier of any kind refers to
     * @description Needs the role investigator or above.
     */
    get: operations['findOrders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One order
     * @description Needs the role investigator or above.
     */
    get: operations['showOrder'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Its callbacks and each attempt to deliver them
     * @description Needs the role investigator or above.
     */
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/resolution': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resolves an unknown outcome that the gate does not report
     * @description Needs the role operator or above.
     */
    post: operations['settleUnknown'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliveries/{deliveryId}/resend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sends a callback again, with the same id and bytes
     * @description Needs the role operator or above.
     */
    post: operations['resendDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/streams/{stream}/unparking': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Projects a parked stream again
     * @description Needs the role operator or above.
     */
    post: operations['unparkStream'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/unknown': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The orders whose outcome was unknown at a time, in their state at that time
     * @description Needs the role investigator or above.
     */
    get: operations['listUnknownAsOf'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}/state': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The state of an order at a moment, with the events up to it
     * @description Needs the role investigator or above.
     */
    get: operations['showOrderAsOf'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The differences between two moments of an order, with the event behind each changed field
     * @description Needs the role investigator or above.
     */
    get: operations['diffOrder'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}/steps': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Every state of an order by both clocks, as changes against the state before
     * @description Needs the role investigator or above.
     */
    get: operations['orderSteps'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}/why': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The event that set a field of an order, its actor, and the chain of causes back to the request
     * @description Needs the role investigator or above.
     */
    get: operations['explainOrder'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/gates': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The configured gates, which of them new orders skip, and their calls of the last hour
     * @description Needs the role viewer or above.
     */
    get: operations['listGates'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/routes/explanation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The gates that an order would try, and the rule of its entry point that selects them. Nothing is accepted or recorded
     * @description Needs the role viewer or above.
     */
    post: operations['explainRoute'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/holds': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The gates and entry points that get no new orders
     * @description Needs the role viewer or above.
     */
    get: operations['listHolds'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/gates/{alias}/hold': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * New orders no longer use the gate. If no other gate is left, they are refused with code 20. Accepted orders continue
     * @description Needs the role operator or above.
     */
    post: operations['holdGate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/gates/{alias}/hold/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * New orders may use the gate again
     * @description Needs the role operator or above.
     */
    post: operations['releaseGate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/endpoints/{endpointId}/hold': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The entry point refuses new orders with code 20. Accepted orders continue
     * @description Needs the role operator or above.
     */
    post: operations['holdEndpoint'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/endpoints/{endpointId}/hold/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The entry point accepts new orders again
     * @description Needs the role operator or above.
     */
    post: operations['releaseEndpoint'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/configuration/status': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The configuration in force in this process, the last applied one, and the report of each process
     * @description Needs the role viewer or above.
     */
    get: operations['configurationStatus'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/configuration/check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The configuration file of this process, compared with the configuration in force
     * @description Needs the role operator or above.
     */
    get: operations['checkConfiguration'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/configuration/forecast': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What a what-if expected of an applied configuration, with the entry points and the times at which to count what happened
     * @description Needs the role investigator or above.
     */
    get: operations['configurationForecast'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/configuration/apply': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Every process takes its configuration file without a restart, as a whole or not at all. Accepted orders keep their plan
     * @description Needs the role admin or above.
     */
    post: operations['applyConfiguration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/reports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Records a reversal, a chargeback, the outcome of a representment or a fraud warning from paper or a file
     * @description Needs the role operator or above.
     */
    post: operations['recordReport'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reconciliation/cases': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Differences between the log and the settlements of gates, the oldest first
     * @description Needs the role investigator or above.
     */
    get: operations['listCases'];
    put?: never;
    /**
     * Opens a case for each difference that a comparison found. A repeated difference returns its existing case
     * @description Needs the role operator or above.
     */
    post: operations['openCases'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reconciliation/cases/{caseId}/effect': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Both sides of a case field by field, and what applying it now would record. Changes nothing
     * @description Needs the role investigator or above.
     */
    get: operations['caseEffect'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reconciliation/cases/{caseId}/closing': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Closes a case without a change
     * @description Needs the role operator or above.
     */
    post: operations['closeCase'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reconciliation/cases/{caseId}/application': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Changes the final status of the order to the gate’s settlement, and closes the case
     * @description Needs the role admin or above.
     */
    post: operations['applyCase'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reconciliation/inquiries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Inquires the outcomes of a period’s requests at a gate, one page at a time. Changes nothing
     * @description Needs the role operator or above.
     */
    post: operations['inquireGate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/log': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The signed log: its head, tree, newest checkpoint and witnesses
     * @description Needs the role viewer or above.
     */
    get: operations['showLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/log/checkpoints': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The checkpoints that the log’s key signed, newest first
     * @description Needs the role viewer or above.
     */
    get: operations['listCheckpoints'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/log/proofs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Proof that an event is in the log: its leaf, the path to the root, and the newest signed checkpoint (RFC 6962)
     * @description Needs the role investigator or above.
     */
    get: operations['proveEvent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/log/consistency': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Proof that a later checkpoint’s log begins with that of an earlier one (RFC 6962)
     * @description Needs the role viewer or above.
     */
    get: operations['proveConsistency'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/events/{stream}/{revision}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One event as stored, with its sealed texts
     * @description Needs the role investigator or above.
     */
    get: operations['showEvent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/feed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * New events of orders, callbacks, reconciliation cases and erasures, as server-sent events in the order of the log
     * @description Needs the role viewer or above.
     */
    get: operations['readFeed'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/what-ifs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The kept what-ifs of the answering process, newest first
     * @description Needs the role investigator or above.
     */
    get: operations['listWhatIfs'];
    put?: never;
    /**
     * Decides every order again under other rules, in the background. Calls no gate and writes nothing to the log but this request
     * @description Needs the role investigator or above.
     */
    post: operations['startWhatIf'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/what-ifs/{whatIfId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One what-if: its state, progress and result by rule and currency
     * @description Needs the role investigator or above.
     */
    get: operations['showWhatIf'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/what-ifs/{whatIfId}/orders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The orders that a what-if would decide differently
     * @description Needs the role investigator or above.
     */
    get: operations['whatIfOrders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/what-ifs/{whatIfId}/stopping': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Stops a what-if, and keeps its result so far
     * @description Needs the role investigator or above.
     */
    post: operations['stopWhatIf'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Orders by identifiers and other filters, one page at a time
     * @description Needs the role investigator or above.
     */
    get: operations['listOrders'];
    put?: never;
    /**
     * The same filters in a body, and an e-mail address, which must not be in a log of paths
     * @description Needs the role investigator or above.
     */
    post: operations['searchOrders'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The full audit trail of an order: events, cards, gates, deliveries, operator actions
     * @description Needs the role investigator or above.
     */
    get: operations['orderTrail'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}/reveal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The same with unsealed texts. Reason and extent are recorded before the answer
     * @description Needs the role investigator or above.
     */
    post: operations['revealOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/configuration': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The configuration in force at a moment: rules, gate settings, key ids
     * @description Needs the role investigator or above.
     */
    get: operations['configurationInForce'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/orders/{orderId}/evidence': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * An evidence pack for a dispute about an order: a zip file that can be verified offline. Reason and extent are recorded before the answer
     * @description Needs the role investigator or above.
     */
    post: operations['orderEvidence'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/retention/preview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What the retention rules would erase in the next day, by merchant, and why the rest is kept
     * @description Needs the role viewer or above.
     */
    get: operations['previewRetention'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/erasure': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Destroys an order’s cards and the keys of its personal data and texts. Its events do not change
     * @description Needs the role admin or above.
     */
    post: operations['eraseOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/card-references/{cardRefId}/erasure': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Destroys the card behind a reference, and all references to it
     * @description Needs the role admin or above.
     */
    post: operations['eraseCard'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/hold': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Prevents the erasure of an order, on request or by retention
     * @description Needs the role operator or above.
     */
    post: operations['placeHold'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/hold/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Lets an order be erased again
     * @description Needs the role admin or above.
     */
    post: operations['releaseHold'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/orders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The orders of one payer at one merchant, one page at a time. Unseals the customer of each order
     * @description Needs the role admin or above.
     */
    post: operations['findCustomer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/returns': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Returns money to the payer, or releases a part of a preauthorisation that was not captured
     * @description Needs the role operator or above.
     */
    post: operations['returnOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/captures': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Captures a preauthorised amount
     * @description Needs the role operator or above.
     */
    post: operations['captureOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{orderId}/voids': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Voids a sale that the gate has not cleared
     * @description Needs the role operator or above.
     */
    post: operations['voidOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/approvals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Proposals of actions, by the time of the proposal
     * @description Needs the role investigator or above.
     */
    get: operations['listApprovals'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/approvals/{approvalId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One proposal, with the changes of a proposed configuration
     * @description Needs the role investigator or above.
     */
    get: operations['showApproval'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/approvals/{approvalId}/approving': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Approves a proposal of another person and executes its action
     * @description Needs the role operator or above.
     */
    post: operations['approveAction'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/approvals/{approvalId}/rejecting': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rejects a proposal, or withdraws one’s own
     * @description Needs the role operator or above.
     */
    post: operations['rejectAction'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/approvals/{approvalId}/execution': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Executes an approved action whose execution is not recorded, because a process ended. A completed action is not repeated
     * @description Needs the role operator or above.
     */
    post: operations['executeAction'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliveries/resending': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Counts the callbacks of a filter; with the token of the count, sends them again in parts
     * @description Needs the role operator or above.
     */
    post: operations['resendDeliveries'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Number of vault rows per key-encrypting key. Reads every row
     * @description Needs the role operator or above.
     */
    get: operations['listKeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Counts of open work for operators, with the age of the oldest, and the alerts that fire
     * @description Needs the role viewer or above.
     */
    get: operations['showOverview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/streams/parked': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Streams that the read models skip, with cause and next step
     * @description Needs the role viewer or above.
     */
    get: operations['listParked'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/projections': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Each read model: its checkpoint, and how far it is behind the log
     * @description Needs the role viewer or above.
     */
    get: operations['listProjections'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Refused: {
      error: string;
      /**
       * @description The order index lacks part of the log, so an existing order may not be found.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
    };
    ShownSession: {
      name: string;
      /** @enum {string} */
      role: 'admin' | 'investigator' | 'operator' | 'viewer';
      /** @description Null if the operator works for all. */
      merchants: string[] | null;
      /** @enum {string} */
      environment: 'production' | 'test';
      /** @description The address of the merchants' API, which names the installation. */
      instance: string;
      release: string;
      /**
       * Format: date-time
       * @description Null for a program with a token.
       */
      expiresAt: string | null;
    };
    SignInRequest: {
      /** @description Exchanged once for the cookie. The link of a sandbox has a code in its place. */
      token: string;
    };
    Installation: {
      /** @enum {string} */
      environment: 'production' | 'test';
      /** @description The address of the merchants' API, which names the installation. */
      instance: string;
      release: string;
      /** @description People can sign in at the house's provider: `GET /session/oidc`. */
      hasProvider: boolean;
    };
    EndSessionsRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
    };
    CardSummary: {
      bin: string;
      lastFour: string;
      brand: string;
      uid: string;
    };
    FollowUpSummary: {
      /** @description Names the follow-up in a resolution; counts from 1 within the order. */
      number: number;
      /** @enum {string} */
      operation: 'cancel' | 'capture' | 'reversal' | 'void';
      /** @enum {string} */
      status: 'approved' | 'declined' | 'error' | 'processing' | 'unknown';
      amount: string;
      transactionId: string | null;
      code: number | null;
      /** Format: date-time */
      acceptedAt: string;
      /** Format: date-time */
      finalAt: string | null;
    };
    ReportSummary: {
      /** @enum {string} */
      kind: 'chargeback' | 'fraud-warning' | 'representment' | 'reversal';
      gate: string;
      /** @description The gate's case id. */
      case: string;
      /** @enum {string} */
      source: 'file' | 'gate' | 'operator';
      /** @enum {string|null} */
      stage: 'arbitration' | 'first' | 'second' | null;
      /** @enum {string|null} */
      outcome: 'lost' | 'won' | null;
      amount: string | null;
      currency: string | null;
      reasonCode: string | null;
      /** Format: date-time */
      happenedAt: string | null;
      /** @description Midnight in UTC of the last day to contest a chargeback, if the report has one. */
      respondBy?: string;
      /** Format: date-time */
      receivedAt: string;
      /**
       * @description Set if the report does not fit the order and changed nothing.
       * @enum {string|null}
       */
      misfit:
        | 'case-unknown'
        | 'contradicts-recorded'
        | 'currency-differs'
        | 'more-than-taken'
        | 'nothing-taken'
        | 'order-not-approved'
        | 'order-not-final'
        | 'other-attempt'
        | 'other-gate'
        | null;
      /** @description In total, more was returned than was charged. */
      isAboveTaken: boolean;
    };
    OrderSummary: {
      orderId: string;
      merchant: string;
      clientOrderId: string;
      kind: string;
      endpointId: string;
      status: string;
      stage: string;
      transactionType: string;
      amount: string;
      initialAmount: string;
      currency: string;
      gate: string | null;
      attempts: number;
      transactionId: string | null;
      rrn: string | null;
      approvalCode: string | null;
      receiptId: string | null;
      code: number | null;
      /** @description The reference by which its card can be, or was, charged again. */
      cardRefId: string | null;
      /** @description Null until the merchant server resolves the card reference. */
      card: components['schemas']['CardSummary'] | null;
      /** @description Null until known, and except for a transfer. */
      destination: components['schemas']['CardSummary'] | null;
      /** @description The commission: accepted by the consumer, then charged by the gate. */
      commission: string | null;
      /** @description The serial-numbers of the requests that created or changed it. */
      serials: string[];
      /** Format: date-time */
      acceptedAt: string;
      /** Format: date-time */
      finalAt: string | null;
      /**
       * Format: date-time
       * @description Set while an outcome is unknown, the order's own or a follow-up's: since when, of the oldest.
       */
      unknownSince?: string;
      /** @description Sorted by number. */
      followUps: components['schemas']['FollowUpSummary'][];
      /** @description Oldest first. */
      reports: components['schemas']['ReportSummary'][];
    };
    ListedUnknown: {
      /** @description The cursor of the next page. Absent after the last one. */
      next?: string;
      /**
       * @description The list is more than two seconds behind the log, so that an entry may be missing or old.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
      orders: components['schemas']['OrderSummary'][];
    };
    ListedDelivery: {
      /** @description Null until the order is in the index. */
      orderId: string | null;
      merchant: string;
      /** @description `<webhook-id>:<target>`. */
      deliveryId: string;
      /** @enum {string} */
      target: 'callback' | 'notification' | 'notify';
      /** @enum {string} */
      status: 'delivered' | 'exhausted' | 'waiting';
      attempts: number;
      /** @description The result of the latest attempt, in words. Null before the first attempt. */
      lastResult: string | null;
      /** Format: date-time */
      firstAttemptAt: string;
      /** Format: date-time */
      lastChangeAt: string;
      /**
       * Format: date-time
       * @description Null if no attempt follows.
       */
      nextAttemptAt: string | null;
      /** @description Since the first attempt. */
      ageSeconds: number;
    };
    ListedDeliveries: {
      /** @description The cursor of the next page. Absent after the last one. */
      next?: string;
      /**
       * @description The list is more than two seconds behind the log, so that an entry may be missing or old.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
      deliveries: components['schemas']['ListedDelivery'][];
    };
    ListedDispute: {
      orderId: string;
      merchant: string;
      gate: string;
      /** @description The gate's id of the case. */
      case: string;
      /** @enum {string} */
      state: 'lost' | 'open' | 'won';
      stage: string | null;
      amount: string | null;
      currency: string | null;
      /** @description The card scheme's. */
      reasonCode: string | null;
      /** Format: date-time */
      receivedAt: string;
      /** @description The last day to contest it, in UTC. Null if no report has it. */
      respondBy: string | null;
      /** @description Whole days until that day; below 0 if it is over. */
      daysLeft: number | null;
    };
    ListedDisputes: {
      /** @description The cursor of the next page. Absent after the last one. */
      next?: string;
      /**
       * @description The list is more than two seconds behind the log, so that an entry may be missing or old.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
      disputes: components['schemas']['ListedDispute'][];
    };
    ActivityShown: {
      /** Format: date-time */
      at: string;
      /** @enum {string} */
      kind: 'action' | 'configuration' | 'query' | 'refusal' | 'reveal' | 'session';
      /** @description The operator; `unauthenticated`, or the program of a configuration. */
      person: string;
      /** @description The person that the operator claimed to represent. */
      claimedActor: string | null;
      role: string | null;
      /** @description The action, the query, the cause of a refusal, or the type of the event. */
      name: string;
      /** @description An orderid, delivery, case, stream, merchant, gate, or the digest of a configuration. */
      target: string | null;
      /** @description Of an action. Null while it runs, or if the process ended first. */
      outcome: string | null;
      /** @description Rows of an answer, or refusals. */
      count: number | null;
    };
    ActivityListed: {
      /** @description The cursor of the next page. Absent after the last one. */
      next?: string;
      /**
       * @description The list is more than two seconds behind the log, so that an entry may be missing or old.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
      activity: components['schemas']['ActivityShown'][];
      /**
       * @description The page ended early because it reached the limit of entries checked; later ones are not checked yet.
       * @enum {boolean}
       */
      isCutShort?: true;
    };
    Found: {
      found: {
        by: (
          | 'card reference'
          | 'card'
          | 'client_orderid'
          | 'delivery'
          | 'kind of report'
          | 'orderid'
          | 'serial number, receipt or gate reference'
        )[];
        order: components['schemas']['OrderSummary'];
      }[];
      /** @description `after` of the next page, if the card or reference has more orders. */
      next?: string;
      /**
       * @description The card has more references than are searched, so some of its orders are on no page.
       * @enum {boolean}
       */
      areReferencesCut?: true;
      /**
       * @description Present if the index is behind the log, so that an order may be missing here.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
    };
    ErasureJson: {
      /**
       * Format: date-time
       * @description Start of the legal hold.
       */
      heldSince?: string;
      /** @description Requested, but not yet known to be destroyed. */
      underWay?: {
        requestId: string;
        /** Format: date-time */
        requestedAt: string;
      };
      /** @description The oldest first. */
      done: {
        requestId: string;
        /** @enum {string} */
        cause: 'request' | 'retention';
        /** @description Number of destroyed keys of sealed texts. */
        texts: number;
        /** @description Number of shredded cards. */
        cards: number;
        /** Format: date-time */
        erasedAt: string;
      }[];
    };
    ShownOrder: {
      /** @description Absent if nothing is recorded. */
      erasure?: components['schemas']['ErasureJson'];
      orderId: string;
      merchant: string;
      clientOrderId: string;
      kind: string;
      endpointId: string;
      status: string;
      stage: string;
      transactionType: string;
      amount: string;
      initialAmount: string;
      currency: string;
      gate: string | null;
      attempts: number;
      transactionId: string | null;
      rrn: string | null;
      approvalCode: string | null;
      receiptId: string | null;
      code: number | null;
      /** @description The reference by which its card can be, or was, charged again. */
      cardRefId: string | null;
      /** @description Null until the merchant server resolves the card reference. */
      card: components['schemas']['CardSummary'] | null;
      /** @description Null until known, and except for a transfer. */
      destination: components['schemas']['CardSummary'] | null;
      /** @description The commission: accepted by the consumer, then charged by the gate. */
      commission: string | null;
      /** @description The serial-numbers of the requests that created or changed it. */
      serials: string[];
      /** Format: date-time */
      acceptedAt: string;
      /** Format: date-time */
      finalAt: string | null;
      /**
       * Format: date-time
       * @description Set while an outcome is unknown, the order's own or a follow-up's: since when, of the oldest.
       */
      unknownSince?: string;
      /** @description Sorted by number. */
      followUps: components['schemas']['FollowUpSummary'][];
      /** @description Oldest first. */
      reports: components['schemas']['ReportSummary'][];
    };
    DeliveryJson: {
      /** @description `<webhook-id>:<target>`. */
      deliveryId: string;
      webhookId: string;
      /** @enum {string} */
      target: 'callback' | 'notification' | 'notify';
      /** @description The type of the order's event that the callback reports. */
      tellsOf: string;
      /** @enum {string} */
      status: 'delivered' | 'exhausted' | 'untried' | 'waiting';
      /** Format: date-time */
      toldAt: string;
      /** Format: date-time */
      nextTryAt?: string;
      steps: (
        | {
            /** @enum {string} */
            kind: 'delivered';
            /** Format: date-time */
            at: string;
            tryNumber: number;
            httpStatus: number;
          }
        | {
            /** @enum {string} */
            kind: 'exhausted';
            /** Format: date-time */
            at: string;
            tryNumber: number;
            failure:
              | {
                  /** @enum {string} */
                  cause: 'answer-malformed';
                }
              | {
                  /** @enum {string} */
                  cause: 'answer-too-large';
                }
              | {
                  /** @enum {string} */
                  cause: 'answered';
                  status: number;
                }
              | {
                  /** @enum {string} */
                  cause: 'connection-failed';
                  code: string;
                }
              | {
                  /** @enum {string} */
                  cause: 'malformed-request';
                }
              | {
                  /** @enum {string} */
                  cause: 'no-address';
                }
              | {
                  /** @enum {string} */
                  cause: 'not-acknowledged';
                }
              | {
                  /** @enum {string} */
                  cause: 'refused-target';
                  reason: string;
                }
              | {
                  /** @enum {string} */
                  cause: 'timed-out';
                }
              | {
                  /** @enum {string} */
                  cause: 'unknown-merchant';
                };
          }
        | {
            /** @enum {string} */
            kind: 'failed';
            /** Format: date-time */
            at: string;
            tryNumber: number;
            failure:
              | {
                  /** @enum {string} */
                  cause: 'answer-malformed';
                }
              | {
                  /** @enum {string} */
                  cause: 'answer-too-large';
                }
              | {
                  /** @enum {string} */
                  cause: 'answered';
                  status: number;
                }
              | {
                  /** @enum {string} */
                  cause: 'connection-failed';
                  code: string;
                }
              | {
                  /** @enum {string} */
                  cause: 'malformed-request';
                }
              | {
                  /** @enum {string} */
                  cause: 'no-address';
                }
              | {
                  /** @enum {string} */
                  cause: 'not-acknowledged';
                }
              | {
                  /** @enum {string} */
                  cause: 'refused-target';
                  reason: string;
                }
              | {
                  /** @enum {string} */
                  cause: 'timed-out';
                }
              | {
                  /** @enum {string} */
                  cause: 'unknown-merchant';
                };
            /** Format: date-time */
            nextTryAt: string;
          }
        | {
            /** @enum {string} */
            kind: 'resend-requested';
            /** Format: date-time */
            at: string;
            /** @description The operator that the token identifies. */
            actor: string;
            /** @description The actor that the request claimed in addition. */
            claimedActor?: string;
          }
      )[];
    };
    ProposedConfiguration: {
      /** @description Of the file. */
      digest: string;
      /** @description The digest in force where it was proposed. */
      inForce: string;
      /** @description Approvals and operators first. Cut if there are many. A member without a value has no `before` or no `after`. */
      changes: {
        field: string;
        before?: string;
        after?: string;
      }[];
      changeCount: number;
      /** @description The kept what-if that is its reason: its id, the SHA-256 of its result, and its totals as JSON. */
      whatIf?: {
        id: string;
        digest: string;
        totals: string;
      };
    };
    ShownApproval: {
      approvalId: string;
      /** @enum {string} */
      action:
        | 'apply-case'
        | 'apply-configuration'
        | 'capture-order'
        | 'erase-card'
        | 'erase-order'
        | 'release-hold'
        | 'return-order'
        | 'settle-unknown'
        | 'void-order';
      /** @description An orderid, a card reference, a case or `configuration`. */
      target: string;
      /** @description Null if the action concerns no merchant. */
      merchant: string | null;
      /** @description The amount that it moves, or whose outcome it resolves. */
      amount: string | null;
      currency: string | null;
      /**
       * @description The outcome that it sets.
       * @enum {string|null}
       */
      to: 'approved' | 'declined' | null;
      followUp: number | null;
      /**
       * @description `approved`: its execution is not recorded, so it can be executed again.
       * @enum {string}
       */
      status: 'approved' | 'done' | 'expired' | 'invalidated' | 'refused' | 'rejected' | 'waiting';
      proposer: string;
      decider: string | null;
      /** @description An admin acted without a second person. */
      isAlone: boolean;
      /** @description Why the approved action was refused. */
      cause: string | null;
      /** Format: date-time */
      proposedAt: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      decidedAt: string | null;
      /** @description The proposed change of the configuration. */
      configuration?: components['schemas']['ProposedConfiguration'];
    };
    ResolveRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
      /** @enum {string} */
      as: 'approved' | 'declined';
      /** @description The number of the follow-up to resolve, from 1; absent for the order itself. */
      followUp?: number;
    };
    ResendRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
    };
    UnparkRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
    };
    UnknownOrdersAt: {
      orders: components['schemas']['OrderSummary'][];
      /** @description Orders whose earlier state cannot be determined. */
      untold: string[];
      next?: string;
    };
    OrderState: {
      /** @description The gates of the routing plan, in order. */
      gates: string[];
      /** @description The text on the payer's statement. */
      descriptor: string | null;
      attemptKey: string | null;
      /** Format: date-time */
      processingAt: string | null;
      /**
       * Format: date-time
       * @description The gate's time of the last attempt's outcome.
       */
      processedAt: string | null;
      terminalId: string | null;
      payerAuthentication: string | null;
      eci: string | null;
      advice: string | null;
      randomSum: string | null;
      /**
       * Format: date-time
       * @description Deadline of the payer's authentication; null if none is pending.
       */
      payerDueAt: string | null;
      callbacks: string[];
      conflicts: number;
      orderId: string;
      merchant: string;
      clientOrderId: string;
      kind: string;
      endpointId: string;
      status: string;
      stage: string;
      transactionType: string;
      amount: string;
      initialAmount: string;
      currency: string;
      gate: string | null;
      attempts: number;
      transactionId: string | null;
      rrn: string | null;
      approvalCode: string | null;
      receiptId: string | null;
      code: number | null;
      /** @description The reference by which its card can be, or was, charged again. */
      cardRefId: string | null;
      /** @description Null until the merchant server resolves the card reference. */
      card: components['schemas']['CardSummary'] | null;
      /** @description Null until known, and except for a transfer. */
      destination: components['schemas']['CardSummary'] | null;
      /** @description The commission: accepted by the consumer, then charged by the gate. */
      commission: string | null;
      /** @description The serial-numbers of the requests that created or changed it. */
      serials: string[];
      /** Format: date-time */
      acceptedAt: string;
      /** Format: date-time */
      finalAt: string | null;
      /**
       * Format: date-time
       * @description Set while an outcome is unknown, the order's own or a follow-up's: since when, of the oldest.
       */
      unknownSince?: string;
      /** @description Sorted by number. */
      followUps: components['schemas']['FollowUpSummary'][];
      /** @description Oldest first. */
      reports: components['schemas']['ReportSummary'][];
    };
    EventJson: {
      /** @description Its number in the order's stream, from 0. */
      revision: number;
      id: string;
      /** @description As in the event catalogue. */
      type: string;
      /**
       * Format: date-time
       * @description When it was recorded.
       */
      knownAt: string;
      /**
       * Format: date-time
       * @description When it happened: the gate's own time if it gave one.
       */
      trueAt: string;
      actor: string;
      /** @description The person that the operator claims to represent. */
      claimedActor?: string;
      /** @description The original request. */
      correlation: string;
      /** @description The event or request that caused this one. */
      causation: string;
    };
    StateAsOf: {
      /** @description The moment; null for now. */
      asOf: {
        version?: number;
        /** Format: date-time */
        knownAt?: string;
        /** Format: date-time */
        trueAt?: string;
      } | null;
      /** @description Number of events that the order has at present. */
      eventsNow: number;
      state: components['schemas']['OrderState'];
      events: components['schemas']['EventJson'][];
    };
    DifferenceJson: {
      field: string;
      before: boolean | number | string | null;
      after: boolean | number | string | null;
      event: components['schemas']['EventJson'];
    };
    FieldChange: {
      field: string;
      /** @description Null also if the state did not have the field. */
      before: boolean | number | string | null;
      after: boolean | number | string | null;
    };
    RecordedStep: {
      event: components['schemas']['EventJson'];
      /** @description Against the state after the previous event. */
      changes: components['schemas']['FieldChange'][];
    };
    TrueStep: {
      /**
       * Format: date-time
       * @description ISO 8601, by the gates' clocks.
       */
      trueAt: string;
      /** @description The events that count from this time on. */
      revisions: number[];
      /** @description Against the state before this time. */
      changes: components['schemas']['FieldChange'][];
    };
    OrderSteps: {
      /** @description One for each event, in the order of recording. */
      steps: components['schemas']['RecordedStep'][];
      /** @description By the gates' clocks, oldest first. Null if no event happened before an earlier recorded one: `steps` with `trueAt` then serve both clocks. */
      trueSteps: components['schemas']['TrueStep'][] | null;
      /**
       * @description Present if later times are missing in `trueSteps`, because too many events were recorded late. `/state?trueAt` answers for them.
       * @enum {boolean}
       */
      areTrueStepsCut?: true;
    };
    WhyJson: {
      field: string;
      values: {
        [key: string]: boolean | number | string | null;
      };
      before: {
        [key: string]: boolean | number | string | null;
      };
      event: components['schemas']['EventJson'];
      /** @description Nearest cause first. */
      causes: (
        | {
            /** @enum {string} */
            kind: 'elsewhere';
            id: string;
          }
        | {
            /** @enum {string} */
            kind: 'request';
            serial: string;
          }
        | {
            /** @description Its number in the order's stream, from 0. */
            revision: number;
            id: string;
            /** @description As in the event catalogue. */
            type: string;
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            knownAt: string;
            /**
             * Format: date-time
             * @description When it happened: the gate's own time if it gave one.
             */
            trueAt: string;
            actor: string;
            /** @description The person that the operator claims to represent. */
            claimedActor?: string;
            /** @description The original request. */
            correlation: string;
            /** @description The event or request that caused this one. */
            causation: string;
            /** @enum {string} */
            kind: 'event';
          }
      )[];
    };
    CallLatency: {
      p50Ms: number | null;
      p95Ms: number | null;
    };
    CallMinute: {
      /** Format: date-time */
      at: string;
      unknown: number;
      approved: number;
      declined: number;
      failed: number;
      pending: number;
      p50Ms: number | null;
      p95Ms: number | null;
    };
    GateCalls: {
      calls: {
        unknown: number;
        approved: number;
        declined: number;
        failed: number;
        pending: number;
      };
      latency: components['schemas']['CallLatency'];
      /** @description The 20 most frequent codes. */
      declines: {
        code: number;
        count: number;
      }[];
      /** @description The oldest first; those without calls are left out. */
      minutes: components['schemas']['CallMinute'][];
    };
    ListedGate: {
      alias: string;
      adapter: string;
      /**
       * @description open: new orders avoid the gate if there is another; half-open: it receives one order at a time.
       * @enum {string}
       */
      circuit: 'closed' | 'half-open' | 'off' | 'open';
      /**
       * Format: date-time
       * @description Null if the circuit breaker is off.
       */
      since: string | null;
      /** @description Calls in the window of a closed circuit, and the failed ones among them. */
      calls: number;
      failures: number;
      /**
       * Format: date-time
       * @description Null if the circuit is not open.
       */
      nextProbeAt: string | null;
      /**
       * Format: date-time
       * @description Since when an operator holds the gate back from new orders; null if none does.
       */
      heldSince: string | null;
      heldBy: string | null;
      /** @description Of all processes, from the log. Null if the read models do not answer. To a limited operator, of its merchants' orders. */
      lastHour: components['schemas']['GateCalls'] | null;
    };
    ListedGates: {
      /** @description The process whose circuit breakers are shown. */
      process: string;
      /** Format: date-time */
      since: string;
      until: string;
      gates: components['schemas']['ListedGate'][];
    };
    PassedOver: {
      rule: string;
      failed: ('amount' | 'bin' | 'brand' | 'country' | 'currency' | 'day' | 'gates' | 'time')[];
    };
    RouteExplanation: {
      /** @description The endpoint that serves the order, also if a group was named. */
      endpoint: string;
      /** @description `default` if no rule matched: the endpoint's gates as listed. */
      rule: string;
      /** @enum {string} */
      choice: 'cascade' | 'least-commission' | 'split';
      /** @description In the order of attempts; for a random split, by weight. */
      gates: string[];
      /** @description Gates of the rule whose circuit is open in the answering process. */
      leftOut: string[];
      /** @description Gates that operators hold, which could serve the order. */
      heldGates: string[];
      /**
       * @description For a split: how the first gate is drawn, and the weights.
       * @enum {string}
       */
      drawnBy?: 'chance' | 'customer';
      shares?: {
        gate: string;
        weight: number;
      }[];
      /** @description For a choice by commission, in major units. */
      commissions?: {
        gate: string;
        commission: string;
      }[];
      /** @description The rules before it, each with the conditions that did not hold; `gates`: none of its gates can serve the order. */
      passedOver: components['schemas']['PassedOver'][];
      facts: {
        amount: string;
        currency: string;
        /** Format: date-time */
        at: string;
        bin?: string;
        brand?: string;
        country?: string;
      };
    };
    RouteQuestionRequest: {
      endpoint: string;
      amount: string;
      /** @enum {string} */
      operation?: 'sale' | 'preauth' | 'account-verification' | 'transfer';
      currency?: string;
      bin?: string;
      country?: string;
      /**
       * Format: date-time
       * @description With Z or an offset.
       */
      at?: string;
      /** @description Neither stored nor logged. */
      customer?: string;
    };
    HeldJson: {
      /** @enum {string} */
      kind: 'endpoint' | 'gate';
      /** @description Alias of the gate, or id of the entry point. */
      id: string;
      /** @description Of an entry point. */
      merchant?: string;
      /** Format: date-time */
      since: string;
      by: string;
    };
    Switched: {
      isHeld: boolean;
      /** @description False if the request changed nothing. */
      isChanged: boolean;
    };
    SwitchRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
    };
    ConfigurationStatus: {
      digest: string;
      applied: {
        digest: string;
        /** Format: date-time */
        at: string;
      } | null;
      /** @description Processes that have ended stay until the next change; `at` shows their age. */
      processes: {
        process: string;
        digest: string;
        /** @enum {string} */
        outcome: 'kept' | 'taken';
        why: string | null;
        /** Format: date-time */
        at: string;
      }[];
    };
    CheckedConfiguration: {
      /** @description Of the file; absent if it has faults. */
      digest?: string;
      inForce: string;
      /** @description At most 500, with key ids in place of secrets. Merchants, entry points, gates, rules and operators by their names. */
      changes: components['schemas']['FieldChange'][];
      changeCount: number;
      /** @description Why the file cannot be taken without a restart. */
      needsRestart: string[];
      /** @description Faults of the file, without a value of it. */
      faults: string[];
    };
    WhatIfForecast: {
      from: string | null;
      before: string | null;
      endpoints: {
        merchant: string;
        endpointId: string;
      }[];
      ends: {
        /** @enum {string} */
        outcome: 'approved' | 'declined' | 'error' | 'filtered' | 'unknown';
        gate: string | null;
        was: number;
        would: number;
      }[];
    };
    ConfigurationForecast: {
      digest: string;
      /** Format: date-time */
      appliedAt: string;
      /**
       * Format: date-time
       * @description When the next one was applied; null if none was.
       */
      replacedAt: string | null;
      whatIfId: string;
      /** @description SHA-256 of the kept result, hex. */
      whatIfDigest: string;
      expected: components['schemas']['WhatIfForecast'];
    };
    Applied: {
      isApplied: boolean;
      digest: string;
    };
    ApplyConfigurationRequest: {
      /** @description The digest of an earlier check, if the file must not have changed since. */
      digest?: string;
      /** @description The id of a kept what-if of this process, made with the rules of the file: the reason of a change of rules. */
      whatIf?: string;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    ReportRequest: {
      /** @enum {string} */
      kind: 'reversal' | 'chargeback' | 'representment' | 'fraud-warning';
      /** @description The gate's id of the case. The same kind, stage and outcome again changes nothing. */
      case: string;
      /** @description In major units. A representment has none here: it has the amount of its chargeback. */
      amount?: string;
      currency?: string;
      /** @description The card scheme's. */
      reasonCode?: string;
      /**
       * @description Default: the first stage for a chargeback, the latest known stage for a representment.
       * @enum {string}
       */
      stage?: 'first' | 'second' | 'arbitration';
      /**
       * @description Only for a representment.
       * @enum {string}
       */
      outcome?: 'won' | 'lost';
      /** @description The day on which it happened, in UTC. */
      date?: string;
      /** @description The last day to contest a chargeback, in UTC, if the report has one. */
      respondBy?: string;
      /** @description The alias of the gate whose file contains the report; absent for paper. If a report from a file does not fit the order, it is kept with an alarm instead of refused. */
      gate?: string;
      /** @description If given, the order must belong to this merchant. */
      merchant?: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    GateRecordView: {
      /** @enum {string} */
      status: 'approved' | 'declined' | 'open';
      /** @description Milliseconds since 1970-01-01T00:00:00Z. */
      processedAt?: number;
      /** @description The gate's own reference of the transaction. */
      reference?: string;
      /** @description Line of the file with this digest. */
      line?: number;
      /** @description Minor units. */
      amountMinor?: string;
      currency?: string;
      /** @description Minor units. */
      commissionMinor?: string;
    };
    CaseOrder: {
      orderId: string;
      merchant: string;
      /** @description The number of the follow-up; absent for the order's own attempt. */
      followUp?: number;
    };
    FieldDifference: {
      /** @enum {string} */
      field: 'amount' | 'commission' | 'currency' | 'gate-order-id' | 'operation' | 'processed-at' | 'status';
      ours?: string;
      theirs?: string;
    };
    ListedCase: {
      told: components['schemas']['GateRecordView'] | null;
      /** @enum {string} */
      status: 'applied' | 'closed' | 'open';
      /** @enum {string|null} */
      effect: 'held-already' | 'reconciled' | 'resolved' | null;
      /** @description Milliseconds since 1970-01-01T00:00:00Z. */
      closedAt: number | null;
      /** @description The actor that opened the case. */
      openedBy: string;
      closedBy: string | null;
      /** @enum {string} */
      operation: 'account-verification' | 'capture' | 'preauth' | 'return' | 'sale' | 'transfer' | 'void';
      /** @enum {string} */
      kind: 'different' | 'duplicate' | 'missing-here' | 'missing-there';
      /** @enum {string} */
      source: 'file' | 'inquiry';
      gate: string;
      /** @description Key of the request itself, if it is ours. */
      key?: string;
      /** @description Key of the attempt that the gate received. */
      original: string;
      order?: components['schemas']['CaseOrder'];
      differences: components['schemas']['FieldDifference'][];
      /** @description SHA-256 of the file, hex. */
      fileDigest?: string;
      /** @description Milliseconds since 1970-01-01T00:00:00Z. */
      openedAt: number;
      caseId: string;
    };
    ListedCases: {
      cases: components['schemas']['ListedCase'][];
      /** @description The cursor of the next page. Absent after the last one. */
      next?: string;
    };
    CaseSide: {
      /** @enum {string} */
      field: 'amount' | 'commission' | 'currency' | 'gate-order-id' | 'operation' | 'processed-at' | 'status';
      /** @description As compared when the case was opened. */
      ours: string | null;
      theirs: string | null;
      /** @description In our log at present; null if the case names no attempt of ours. */
      oursNow: string | null;
      isDifferent: boolean;
    };
    CaseEffect: {
      caseId: string;
      sides: components['schemas']['CaseSide'][];
      /**
       * @description The status that applying the case would set; null if it would set none.
       * @enum {string|null}
       */
      to: 'approved' | 'declined' | null;
      /**
       * @description `resolved`: an open outcome would be inquired first, then resolved. Null if applying would be refused.
       * @enum {string|null}
       */
      effect: 'held-already' | 'reconciled' | 'resolved' | null;
      /** @description Why applying would be refused, as its route answers. */
      refusal: string | null;
      /** @description Types of the events that would be recorded, the order's first. Events of an inquiry are not known before. */
      records: string[];
    };
    CaseOrderRequest: {
      orderId: string;
      merchant: string;
      followUp?: number;
    };
    DifferenceRequest: {
      /** @enum {string} */
      field: 'operation' | 'status' | 'amount' | 'currency' | 'commission' | 'processed-at' | 'gate-order-id';
      ours?: string;
      theirs?: string;
    };
    ReportedRequest: {
      /** @enum {string} */
      status: 'approved' | 'declined' | 'open';
      /** @description Minor units. */
      amountMinor?: string;
      currency?: string;
      /** @description Minor units. */
      commissionMinor?: string;
      /** @description Milliseconds since 1970-01-01T00:00:00Z. */
      processedAt?: number;
      reference?: string;
      line?: number;
    };
    CaseRequest: {
      /** @enum {string} */
      kind: 'different' | 'missing-here' | 'missing-there' | 'duplicate';
      /** @description The key of the attempt that the gate was sent. */
      original: string;
      /** @description The key of the request itself. */
      key?: string;
      /** @enum {string} */
      operation: 'sale' | 'preauth' | 'account-verification' | 'transfer' | 'capture' | 'return' | 'void';
      order?: components['schemas']['CaseOrderRequest'];
      differences: components['schemas']['DifferenceRequest'][];
      told?: components['schemas']['ReportedRequest'];
    };
    OpenedCase: {
      caseId: string;
      /** @description False if the same difference opened this case before, and it is still open or was closed without a change. */
      isNew: boolean;
    };
    OpenCasesRequest: {
      gate: string;
      /** @enum {string} */
      source: 'file' | 'inquiry';
      /** @description SHA-256 of the file, hex. */
      fileDigest?: string;
      cases: components['schemas']['CaseRequest'][];
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    CloseCaseRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
    };
    ApplyCaseRequest: {
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    CaseRequestBody: {
      /** @enum {string} */
      operation: 'account-verification' | 'capture' | 'preauth' | 'return' | 'sale' | 'transfer' | 'void';
      /** @enum {string} */
      kind: 'different' | 'duplicate' | 'missing-here' | 'missing-there';
      /** @description Key of the request itself, if it is ours. */
      key?: string;
      /** @description Key of the attempt that the gate received. */
      original: string;
      order?: components['schemas']['CaseOrder'];
      differences: components['schemas']['FieldDifference'][];
      told?: {
        /** @enum {string} */
        status: 'approved' | 'declined' | 'open';
        /** @description Milliseconds since 1970-01-01T00:00:00Z. */
        processedAt?: number;
        /** @description The gate's own reference of the transaction. */
        reference?: string;
        /** @description Line of the file with this digest. */
        line?: number;
        amountMinor?: string;
        currency?: string;
        commissionMinor?: string;
      };
    };
    InquiryPage: {
      asked: number;
      matched: number;
      /** @description Requests without a result, or which are open here. */
      notTold: number;
      /** @description As the operator port accepts them to open cases. */
      differences: components['schemas']['CaseRequestBody'][];
      /** @description The `after` of the next request; absent at the end of the period. */
      next?: string;
    };
    InquireRequest: {
      gate: string;
      /** @description Milliseconds since 1970-01-01T00:00:00Z. */
      from: number;
      /** @description Milliseconds since 1970-01-01T00:00:00Z. */
      before: number;
      /** @description The `next` of the previous answer. */
      after?: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    CheckpointJson: {
      /** @description Events in the signed tree. */
      size: number;
      /** @description Base 64. */
      root: string;
      /**
       * Format: date-time
       * @description By the log's clock; null if the checkpoint has no time.
       */
      signedAt: string | null;
      /** @description The signed note, byte for byte (C2SP tlog-checkpoint). */
      note: string;
    };
    WitnessJson: {
      name: string;
      newest: components['schemas']['CheckpointJson'] | null;
      /** @description Null if the witness can be read. */
      problem: string | null;
    };
    LogJson: {
      /** @description The log's name in its checkpoints; null until one was signed. */
      origin: string | null;
      /** @description Four bytes in hex, by which a signature names the log's key; null if nothing is signed. */
      keyId: string | null;
      /** @description The key's public half as `name+id+key` (C2SP signed-note), to be compared with a copy that came another way: alone it proves nothing. Null if nothing is signed. */
      publicKey: string | null;
      /** @description Position of the newest event. */
      head: string;
      /** @description The stored tree: its events, root in base 64, and position of its newest event. Null if it cannot be read. */
      tree: {
        size: number;
        root: string;
        position: string;
      } | null;
      checkpoint: components['schemas']['CheckpointJson'] | null;
      witnesses: components['schemas']['WitnessJson'][];
      /** @description Why the log does not match its tree or checkpoints, as far as this process knows; null if it matches. `orch log verify` checks every event. */
      fault: string | null;
      /**
       * Format: date-time
       * @description Since when events lack a checkpoint; null if all are covered, or another process keeps the tree.
       */
      waitingSince: string | null;
    };
    CheckpointsAnswer: {
      checkpoints: components['schemas']['CheckpointJson'][];
      next?: string;
    };
    EventProofJson: {
      stream: string;
      revision: number;
      position: string;
      leaf: string;
      /** @description Index of the event in the tree, from 0. */
      index: number;
      /** @description Hashes in base 64, from the leaf's sibling upwards (RFC 6962, section 2.1.1). */
      path: string[];
      /** @description The signed note (C2SP tlog-checkpoint). */
      checkpoint: string;
    };
    ConsistencyProof: {
      older: string;
      later: string;
      path: string[];
    };
    RawEventJson: {
      stream: string;
      revision: number;
      position: string;
      id: string;
      type: string;
      /**
       * Format: date-time
       * @description By the store's clock.
       */
      storedAt: string;
      /** @description Text as stored. */
      metadata: string;
      /** @description Text as stored, with its sealed texts; null if it contains data that could be used to charge a card. */
      data: string | null;
      /** @description The data without those members, only if `data` is null. */
      concealed: Record<string, never>;
      /** @description SHA-256 of the data as stored, hex; part of the event's leaf. */
      dataDigest: string;
      /** @description The hash in its stream's chain, hex. */
      hash: string;
    };
    FeedItem: {
      position: string;
      /** @description The category of the event's stream. */
      kind: string;
      /** @description Null if the event concerns no single order. */
      orderId: string | null;
      type: string;
    };
    WhatIfEndpointJson: {
      merchant: string;
      endpointId: string;
      gates: string | null;
      screening: string | null;
      routing: string | null;
    };
    WhatIfResultJson: {
      orders: number;
      classes: {
        same: number;
        'same-outcome': number;
        differs: number;
        'cannot-know': number;
      };
      /** @description Number of orders by the reason why their result is not known. */
      notKnown: {
        'gate-never-asked'?: number;
        'text-sealed'?: number;
        'digits-not-shown'?: number;
        'count-in-doubt'?: number;
        'order-open'?: number;
      };
      drawnAnew: number;
      unreadable: number;
      /** @description More orders were open, or more cards counted, than are followed at one time. */
      isIncomplete: boolean;
      /** @description Decided orders by their past and their new end; only an approval has a gate. Entry points that keep their rules are not in it. */
      ends: {
        /** @enum {string} */
        outcome: 'approved' | 'declined' | 'error' | 'filtered' | 'unknown';
        gate: string | null;
        was: number;
        would: number;
      }[];
      /** @description Amounts in major units. An amount whose result is not known is in no other sum. */
      rules: {
        by: string;
        currency: string;
        orders: number;
        wasApproved: string;
        wouldBeApproved: string;
        notKnown: number;
        notKnownWasApproved: string;
        notKnownAskedFor: string;
      }[];
    };
    WhatIfJson: {
      whatIfId: string;
      /** @enum {string} */
      state: 'done' | 'failed' | 'interrupted' | 'running' | 'stopped';
      startedBy: string;
      /** Format: date-time */
      startedAt: string;
      /** Format: date-time */
      endedAt: string | null;
      /** @description Only orders accepted from this time on; null for all. */
      from: string | null;
      /** @description Only orders accepted before this time; null for all. */
      before: string | null;
      /** @description Only orders of these merchants; null for all. */
      merchants: string[] | null;
      /** @description SHA-256 of the rules as sent, hex. */
      rulesDigest: string;
      /** @description The entry points of the rules; null for a run of an earlier release. */
      endpoints: components['schemas']['WhatIfEndpointJson'][] | null;
      /** @description Orders decided so far. */
      orders: number;
      /** @description Null until the run has ended. Of a stopped run, as far as it went. */
      result: components['schemas']['WhatIfResultJson'] | null;
      /** @description True if more orders differ than are kept. */
      areOrdersCut: boolean;
    };
    StartWhatIfRequest: {
      /** @description YAML or JSON, as in a file of `orch replay --what-if`. Not kept, except its digest. */
      rules: string;
      /**
       * Format: date-time
       * @description Only orders accepted at this time or later.
       */
      from?: string;
      /**
       * Format: date-time
       * @description Only orders accepted before this time.
       */
      before?: string;
      /** @description Only orders of this merchant. */
      merchant?: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    WhatIfOrderJson: {
      /** @enum {string} */
      class: 'cannot-know' | 'differs' | 'same' | 'same-outcome';
      orderId: string;
      merchant: string;
      clientOrderId: string;
      endpointId: string;
      amount: string;
      currency: string;
      /** @description The rule that makes the difference. */
      by: string | null;
      was:
        | {
            /** @enum {string} */
            kind: 'approved';
            amount: string;
            gate: string | null;
          }
        | {
            /** @enum {string} */
            kind: 'cannot-know';
            /** @enum {string} */
            why: 'count-in-doubt' | 'digits-not-shown' | 'gate-never-asked' | 'order-open' | 'text-sealed';
            gate?: string;
          }
        | {
            /** @enum {string} */
            kind: 'open';
          }
        | {
            /** @enum {string} */
            kind: 'refused';
            /** @enum {string} */
            status: 'declined' | 'error' | 'filtered';
            code: number;
          };
      would:
        | {
            /** @enum {string} */
            kind: 'approved';
            amount: string;
            gate: string | null;
          }
        | {
            /** @enum {string} */
            kind: 'cannot-know';
            /** @enum {string} */
            why: 'count-in-doubt' | 'digits-not-shown' | 'gate-never-asked' | 'order-open' | 'text-sealed';
            gate?: string;
          }
        | {
            /** @enum {string} */
            kind: 'open';
          }
        | {
            /** @enum {string} */
            kind: 'refused';
            /** @enum {string} */
            status: 'declined' | 'error' | 'filtered';
            code: number;
          };
      /** @description The order has no recorded draw, so a new one was made. */
      isDrawnAnew: boolean;
    };
    WhatIfOrders: {
      orders: components['schemas']['WhatIfOrderJson'][];
      next?: string;
    };
    StopWhatIfRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    ListedOrder: {
      orderId: string;
      merchant: string;
      clientOrderId: string;
      /** @enum {string} */
      kind: 'deviceVerification' | 'payment' | 'recurring' | 'transfer';
      /** @enum {string} */
      operation: 'account-verification' | 'preauth' | 'sale' | 'transfer';
      endpoint: string;
      /** @enum {string} */
      status: 'approved' | 'chain_declined' | 'declined' | 'error' | 'filtered' | 'processing' | 'unknown';
      /** @enum {string} */
      stage:
        | 'auth_3d_validated'
        | 'auth_3d_validating'
        | 'auth_approved'
        | 'auth_chain_declined'
        | 'auth_declined'
        | 'auth_error'
        | 'auth_filtered'
        | 'auth_filtering'
        | 'auth_processing'
        | 'auth_starting'
        | 'auth_unknown'
        | 'av_3d_validated'
        | 'av_3d_validating'
        | 'av_approved'
        | 'av_chain_declined'
        | 'av_declined'
        | 'av_error'
        | 'av_filtered'
        | 'av_filtering'
        | 'av_processing'
        | 'av_starting'
        | 'av_unknown'
        | 'cancel_approved'
        | 'cancel_declined'
        | 'cancel_error'
        | 'cancel_processing'
        | 'cancel_unknown'
        | 'capture_approved'
        | 'capture_declined'
        | 'capture_error'
        | 'capture_processing'
        | 'capture_unknown'
        | 'chargeback_approved'
        | 'chargeback_rejected'
        | 'reversal_approved'
        | 'reversal_declined'
        | 'reversal_error'
        | 'reversal_processing'
        | 'reversal_unknown'
        | 'sale_3d_validated'
        | 'sale_3d_validating'
        | 'sale_approved'
        | 'sale_chain_declined'
        | 'sale_declined'
        | 'sale_error'
        | 'sale_filtered'
        | 'sale_filtering'
        | 'sale_processing'
        | 'sale_starting'
        | 'sale_unknown'
        | 'transfer_3d_validated'
        | 'transfer_3d_validating'
        | 'transfer_approved'
        | 'transfer_chain_declined'
        | 'transfer_declined'
        | 'transfer_error'
        | 'transfer_filtered'
        | 'transfer_filtering'
        | 'transfer_processing'
        | 'transfer_starting'
        | 'transfer_unknown'
        | 'void_approved'
        | 'void_declined'
        | 'void_error'
        | 'void_processing'
        | 'void_unknown';
      /** @enum {string} */
      type: 'account_verification' | 'cancel' | 'capture' | 'chargeback' | 'preauth' | 'reversal' | 'sale' | 'transfer' | 'void';
      amount: string;
      initialAmount: string;
      currency: string;
      gate: string | null;
      attempts: number;
      code: number | null;
      bin: string | null;
      lastFour: string | null;
      brand: string | null;
      card: string | null;
      cardReference: string | null;
      transactionId: string | null;
      rrn: string | null;
      approvalCode: string | null;
      receipt: string | null;
      correlation: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** Format: date-time */
      finalAt: string | null;
    };
    OrderPage: {
      /** @description Increases if a member is removed or changes its meaning. */
      version: number;
      /** @description Cursor of the next page, if there is one. The header `Audit-Next` contains it, too. */
      next?: string;
      /**
       * @description The page ended early because it reached the limit of orders checked; later ones are not checked yet.
       * @enum {boolean}
       */
      isCutShort?: true;
      /**
       * @description The card has more than 500 references, so some of its orders are not in the list.
       * @enum {boolean}
       */
      areReferencesCut?: true;
      /**
       * @description The index of orders is behind the log, so that an order may be missing here.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
      orders: components['schemas']['ListedOrder'][];
    };
    SearchOrdersRequest: {
      email?: string;
      /** @description The orderid. */
      order?: string;
      clientOrderId?: string;
      invoiceId?: string;
      /** @description The serial-number of the request that started it. */
      correlation?: string;
      cardReference?: string;
      /** @description The card's own id (`unq-card-ref-id`). */
      card?: string;
      receipt?: string;
      rrn?: string;
      /** @description The gate's reference of a transaction, order or case, or the key of the request to the gate. */
      reference?: string;
      approvalCode?: string;
      /** @description The first six and the last four digits of a card of it. */
      cardMask?: string;
      /** @description An operator whose action is in the order's stream. */
      operator?: string;
      merchant?: string;
      endpoint?: string;
      /**
       * @description The context.
       * @enum {string}
       */
      kind?: 'payment' | 'recurring' | 'deviceVerification' | 'transfer';
      /** @enum {string} */
      operation?: 'sale' | 'preauth' | 'account-verification' | 'transfer';
      /** @enum {string} */
      status?: 'approved' | 'declined' | 'error' | 'filtered' | 'processing' | 'unknown' | 'chain_declined';
      /** @description As `order-stage` of a status answer. */
      stage?: string;
      /** @description The last gate of the order. */
      gate?: string;
      /** @description The code of a status that is not approved. */
      code?: number;
      /** @description ISO 4217. */
      currency?: string;
      /** @description Of a card of it. */
      lastFour?: string;
      /** @description The descriptor on the payer's statement has this text. */
      descriptor?: string;
      /** @description Created or processed on this day, the day before or the day after. */
      on?: string;
      /** @description Time zone of `on`. Default: UTC. */
      zone?: string;
      /** @description Major units with a dot; needs a currency. */
      amountFrom?: string;
      /** @description Major units with a dot; needs a currency. */
      amountTo?: string;
      /**
       * Format: date-time
       * @description With Z or an offset.
       */
      createdFrom?: string;
      /**
       * Format: date-time
       * @description With Z or an offset.
       */
      createdTo?: string;
      /**
       * Format: date-time
       * @description With Z or an offset.
       */
      updatedFrom?: string;
      /**
       * Format: date-time
       * @description With Z or an offset.
       */
      updatedTo?: string;
      limit?: number;
      /** @description The `next` of the previous page. */
      cursor?: string;
      /** @enum {string} */
      format?: 'json' | 'ndjson' | 'csv';
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    TrailEntry: {
      /** @description From 1, in the order of the log. */
      number: number;
      /** Format: date-time */
      at: string;
      /** @description Of the stream: the kind of order, cardReference, delivery, reconciliation, approval or operator. */
      category: string;
      type: string;
      actor: string;
      /** @description The person that the caller claimed to represent. */
      claimedActor: string | null;
      merchant: string;
      stream: string;
      revision: number;
      eventId: string;
      /** @description The original request. */
      correlation: string;
      /** @description The direct cause: a request, or an event. */
      causation: string;
      /** @description Number of the entry that is the direct cause; null if that is a request. */
      causedBy: number | null;
      /** @description Why the data are missing: this release cannot read the event, or its stream is damaged from here on. */
      problem: string | null;
      /** @description As in the event catalogue; sealed values are `[sealed]` unless they were revealed. Null if there is a problem. */
      data: Record<string, never> | null;
    };
    TrailPage: {
      version: number;
      orderId: string;
      merchant: string;
      isRevealed: boolean;
      /**
       * @description The order has more events than a trail can contain.
       * @enum {boolean}
       */
      isCutShort?: true;
      /**
       * @description Some queries about the order were left out, since events take precedence.
       * @enum {boolean}
       */
      areQuestionsCut?: true;
      trail: components['schemas']['TrailEntry'][];
    };
    RevealRequest: {
      /** @enum {string} */
      format?: 'json' | 'ndjson' | 'csv';
      /**
       * @description The kind of identifier. Default: both kinds.
       * @enum {string}
       */
      by?: 'orderid' | 'client_orderid';
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    ShownConfiguration: {
      version: number;
      /** @description SHA-256 over the redacted copy and the names of the keys. */
      digest: string;
      /** Format: date-time */
      tookEffectAt: string;
      /** Format: date-time */
      replacedAt: string | null;
      /** @description The boot id of the process that started with it or took it. */
      process: string;
      keys: string[];
      /**
       * @description The reason if there is no copy.
       * @enum {string|null}
       */
      omitted: 'looks-like-card-number' | 'too-large' | null;
      /** @description Each key, password and token is replaced by a `keyId`. */
      configuration: Record<string, never> | null;
    };
    EvidenceRequest: {
      /**
       * Format: date-time
       * @description Later records are left out. Default: the time of the newest dispute, else of the newest event of the order, its cards or its callbacks.
       */
      at?: string;
      /**
       * @description The kind of identifier. Default: both kinds.
       * @enum {string}
       */
      by?: 'orderid' | 'client_orderid';
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    AgedData: {
      orders: number;
      /**
       * Format: date-time
       * @description When the oldest of these orders ended.
       */
      oldestEndedAt: string | null;
    };
    MerchantRetention: {
      merchant: string;
      cards: components['schemas']['AgedData'];
      /** @description Personal data and free text. */
      texts: components['schemas']['AgedData'];
      /** @description Data that are old enough but kept, such as those under legal hold. An order may have several reasons. */
      kept: {
        /** @enum {string} */
        reason:
          | 'callback-due'
          | 'card-reference-lives'
          | 'case-open'
          | 'dispute-open'
          | 'follow-up-open'
          | 'not-final'
          | 'not-yet'
          | 'under-legal-hold';
        orders: number;
      }[];
    };
    RetentionPreview: {
      /** @description False if the configuration has no rule that erases by age. */
      hasRules: boolean;
      /** @description A day from now. Each order that is kept is checked again within it. */
      until: string;
      /**
       * Format: date-time
       * @description The earliest check of an order; in the past if it is due.
       */
      nextRunAt: string | null;
      /** @description Orders to be checked until then. */
      orders: number;
      /**
       * @description There are more, which are not counted.
       * @enum {boolean}
       */
      isCutShort?: true;
      merchants: components['schemas']['MerchantRetention'][];
    };
    Erased: {
      /** @description Identifies the order's events. */
      requestId?: string;
      /** @description Keys of sealed texts that were destroyed. */
      texts: number;
      /** @description Cards that were shredded. */
      cards: number;
    };
    EraseOrderRequest: {
      /** @description Whether card references may be erased too. Otherwise an order with a live reference is refused. */
      endsReferences?: boolean;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    EraseCardRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
    };
    Held: {
      isHeld: boolean;
    };
    HoldRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
    };
    ReleaseRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
    };
    FindCustomerRequest: {
      merchant: string;
      /** @description An e-mail address or a telephone number; neither stored nor logged. */
      customer: string;
      /** @description The `next` of the previous page. */
      after?: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    RequestedFollowUp: {
      orderId: string;
      followUp: components['schemas']['FollowUpSummary'];
    };
    MoveMoneyRequest: {
      /** @description In major units. Absent for all that is left. */
      amount?: string;
      /** @description Default: the currency of the order. */
      currency?: string;
      /** @description Chosen by the caller. The same key again is the same request, so that a repeat moves no money twice. */
      key: string;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    VoidOrderRequest: {
      /** @description Chosen by the caller. The same key again is the same request, so that a repeat moves no money twice. */
      key: string;
      /** @description An admin acts without the approval that the configuration requires. Raises an alarm. */
      alone?: boolean;
      /** @description If given, the order or reference must belong to this merchant. */
      merchant?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    ListedApproval: {
      approvalId: string;
      /** @enum {string} */
      action:
        | 'apply-case'
        | 'apply-configuration'
        | 'capture-order'
        | 'erase-card'
        | 'erase-order'
        | 'release-hold'
        | 'return-order'
        | 'settle-unknown'
        | 'void-order';
      /** @description An orderid, a card reference, a case or `configuration`. */
      target: string;
      /** @description Null if the action concerns no merchant. */
      merchant: string | null;
      /** @description The amount that it moves, or whose outcome it resolves. */
      amount: string | null;
      currency: string | null;
      /**
       * @description The outcome that it sets.
       * @enum {string|null}
       */
      to: 'approved' | 'declined' | null;
      followUp: number | null;
      /**
       * @description `approved`: its execution is not recorded, so it can be executed again.
       * @enum {string}
       */
      status: 'approved' | 'done' | 'expired' | 'invalidated' | 'refused' | 'rejected' | 'waiting';
      proposer: string;
      decider: string | null;
      /** @description An admin acted without a second person. */
      isAlone: boolean;
      /** @description Why the approved action was refused. */
      cause: string | null;
      /** Format: date-time */
      proposedAt: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      decidedAt: string | null;
    };
    ListedApprovals: {
      /** @description The cursor of the next page. Absent after the last one. */
      next?: string;
      /**
       * @description The list is more than two seconds behind the log, so that an entry may be missing or old.
       * @enum {string}
       */
      index?: 'behind' | 'missing';
      approvals: components['schemas']['ListedApproval'][];
    };
    ApproveRequest: {
      /** @description Free text, which is stored sealed. Required to act alone. */
      reason?: string;
      /** @description An admin approves as the only person, its own proposal too. Raises an alarm. */
      alone?: boolean;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    RejectRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
    };
    ExecuteRequest: {
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    ResendDeliveriesRequest: {
      /**
       * @description `failed`: not delivered so far, given up (`exhausted`) or not (`waiting`).
       * @enum {string}
       */
      state?: 'waiting' | 'exhausted' | 'delivered' | 'failed';
      merchant?: string;
      /** @enum {string} */
      target?: 'callback' | 'notify' | 'notification';
      /**
       * Format: date-time
       * @description First attempt at this time or later.
       */
      since?: string;
      /**
       * Format: date-time
       * @description First attempt before this time.
       */
      until?: string;
      /** @description The `token` of the count of the same filter. Absent: only counts. */
      token?: string;
      /** @description Callbacks of this call. Default: 100. */
      limit?: number;
      /** @description The `next` of the previous call with this token. */
      cursor?: string;
      /** @description Free text, which is stored sealed. */
      reason: string;
      /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
      actor?: string;
    };
    KeyUse: {
      /** @description The key that wraps new records. */
      primary: number;
      keys: {
        id: number;
        cards: number;
        orderKeys: number;
      }[];
      retired: string[];
    };
    UnknownOverview: {
      count: number;
      /**
       * @description There are at least so many.
       * @enum {boolean}
       */
      isAtLeast?: true;
      /** Format: date-time */
      oldestAt: string | null;
      /** @description 0 if there is none. */
      oldestSeconds: number;
      /** @description By currency, in major units, of the counted orders. */
      amounts: {
        currency: string;
        amount: string;
      }[];
    };
    OverviewCount: {
      count: number;
      /**
       * @description There are at least so many.
       * @enum {boolean}
       */
      isAtLeast?: true;
      /** Format: date-time */
      oldestAt: string | null;
      /** @description 0 if there is none. */
      oldestSeconds: number;
    };
    CallbacksOverview: {
      waiting: components['schemas']['OverviewCount'];
      /** @description Given up. */
      exhausted: components['schemas']['OverviewCount'];
    };
    DisputesOverview: {
      overdue: number;
      /** @description Today, or in the next three days. */
      withinThreeDays: number;
      later: number;
      withoutDay: number;
    };
    ProjectionsOverview: {
      /** @description Missing, or more than two seconds behind the log. */
      behind: string[];
      behindSeconds: number;
    };
    GateState: {
      alias: string;
      adapter: string;
      /**
       * @description open: new orders avoid the gate if there is another; half-open: it receives one order at a time.
       * @enum {string}
       */
      circuit: 'closed' | 'half-open' | 'off' | 'open';
      /**
       * Format: date-time
       * @description Null if the circuit breaker is off.
       */
      since: string | null;
      /** @description Calls in the window of a closed circuit, and the failed ones among them. */
      calls: number;
      failures: number;
      /**
       * Format: date-time
       * @description Null if the circuit is not open.
       */
      nextProbeAt: string | null;
      /**
       * Format: date-time
       * @description Since when an operator holds the gate back from new orders; null if none does.
       */
      heldSince: string | null;
      heldBy: string | null;
    };
    OrderMinute: {
      /** Format: date-time */
      at: string;
      approved: number;
      declined: number;
      error: number;
      filtered: number;
    };
    LatencyMinute: {
      p50Ms: number | null;
      p95Ms: number | null;
      /** Format: date-time */
      at: string;
      /** @description Answered ones. */
      calls: number;
    };
    LastHour: {
      /** @description Orders that ended, by final status; `error`: codes 121 and 122. */
      orders: components['schemas']['OrderMinute'][];
      gates: {
        alias: string;
        minutes: components['schemas']['LatencyMinute'][];
      }[];
    };
    LogOverview: {
      isSigning: boolean;
      /** @description Events that the last checkpoint covers. Null if this process signed none. */
      checkpointEvents: number | null;
      /** Format: date-time */
      checkpointAt: string | null;
      /** @description Age of the oldest event without a signed checkpoint; 0 if all are covered. */
      waitingSeconds: number;
      /** @description Verification of the log fails. */
      isFaulty: boolean;
    };
    OverviewAlert: {
      /**
       * @description As in `deploy/prometheus/alerts.yml`.
       * @enum {string}
       */
      name:
        | 'CallbacksWait'
        | 'ChainBroken'
        | 'GateCircuitOpen'
        | 'LogNotAsWritten'
        | 'LogNotSigned'
        | 'OutcomeUnknownForLong'
        | 'OutcomesUnknown'
        | 'ReadModelsBehind'
        | 'ReconciliationCasesWait'
        | 'StreamsParked';
      runbook: string;
      value: number;
    };
    Overview: {
      /** Format: date-time */
      at: string;
      /** @description The parts that could not be read in time. */
      unavailable: string[];
      unknownOutcomes: components['schemas']['UnknownOverview'] | null;
      callbacks: components['schemas']['CallbacksOverview'] | null;
      reconciliationCases: components['schemas']['OverviewCount'] | null;
      disputes: components['schemas']['DisputesOverview'] | null;
      parkedStreams: components['schemas']['OverviewCount'] | null;
      projections: components['schemas']['ProjectionsOverview'] | null;
      /** @description Held by operators, or by the circuit breakers of this process. */
      gatesOutOfRouting: components['schemas']['GateState'][] | null;
      heldEndpoints: components['schemas']['HeldJson'][];
      /** @description By minute, of all processes. */
      lastHour: components['schemas']['LastHour'] | null;
      /** @description Shows whether processes differ. */
      configuration: components['schemas']['ConfigurationStatus'] | null;
      log: components['schemas']['LogOverview'] | null;
      /** @description Of the last seven days, by an admin without the second person that the configuration requires. The newest 25. */
      actionsAlone: components['schemas']['ListedApproval'][] | null;
      /** @description Conditions that hold now, without the delay of Prometheus. */
      alerts: components['schemas']['OverviewAlert'][];
    };
    ParkedEntry: {
      stream: string;
      /** @enum {string} */
      cause: 'chain-broken' | 'event-unreadable' | 'not-applied';
      revision: number;
      eventId: string;
      /** @description Without data of the event. */
      error: string;
      /** Format: date-time */
      parkedAt: string;
      projections: string[];
      /** @description The next step, in words. */
      next: string;
    };
    ParkedStreams: {
      /** @description Broken chains first, then the oldest. */
      streams: components['schemas']['ParkedEntry'][];
      /**
       * @description There are more than can be listed.
       * @enum {boolean}
       */
      isCutShort?: true;
    };
    ProjectionState: {
      projection: string;
      /** @description Null if it was never built. */
      generation: number | null;
      /** @description The lowest checkpoint of all partitions, in the event store's form. */
      position: string | null;
      /**
       * Format: date-time
       * @description When the last batch was applied.
       */
      appliedAt: string | null;
      parkedStreams: number;
      /** @enum {string} */
      state: 'behind' | 'level' | 'missing';
      /** @description Since the oldest event that it does not contain was recorded; 0 if there is none. Null if it was never built. */
      behindSeconds: number | null;
    };
    ProjectionStates: {
      /** @description The end of the log, in the event store's form. */
      head: string;
      /** @description Events that this process projected, over the last 60 s or since its first batch. Null if it does not project. */
      eventsPerSecond: number | null;
      projections: components['schemas']['ProjectionState'][];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The process answers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused: an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The process is ready. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused: an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Not ready, with the state of each store. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  scrape: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused: an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ShownSession'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  signIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SignInRequest'];
      };
    };
    responses: {
      /** @description The session, which ends 30 minutes after its last request and 10 hours after its start */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ShownSession'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No operator has this token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Five sign-ins from this address failed within a minute */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  signOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {boolean} */
            ended: true;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The request has a token in place of a session */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  installation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Installation'];
        };
      };
      /** @description Refused: an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  startAtHouse: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description To the provider */
      303: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused: an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No provider is configured */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  finishAtHouse: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page that opens the console, because a browser sends no strict cookie with a redirect of another site */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The sign-in was not begun here, is too old, was used before, or the provider’s answer is not valid */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused: an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  endSessions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The operator’s name. */
        operator: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EndSessionsRequest'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            operator: string;
            /** @enum {boolean} */
            ended: true;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No operator has this name. With a provider, every name is accepted, because only the provider knows its people */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listUnknown: {
    parameters: {
      query?: {
        merchant?: string;
        /** @description Entries of a page. */
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. At most 500. The role viewer gets no card data */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedUnknown'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  findDeliveries: {
    parameters: {
      query?: {
        /** @description `failed`: not delivered so far, given up (`exhausted`) or not (`waiting`). */
        state?: 'waiting' | 'exhausted' | 'delivered' | 'failed';
        merchant?: string;
        target?: 'callback' | 'notify' | 'notification';
        /** @description First attempt at this time or later. */
        since?: string;
        /** @description First attempt before this time. */
        until?: string;
        /** @description Entries of a page. */
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. At most 500 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedDeliveries'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listDisputes: {
    parameters: {
      query?: {
        /** @description `over`: won or lost, by the latest report. Default: `open`, by the day on which the answer is due. */
        state?: 'open' | 'over';
        merchant?: string;
        /** @description Due on this day or later; for `over`, the latest report at this time or later. */
        since?: string;
        /** @description Due before this day; for `over`, the latest report before this time. */
        until?: string;
        /** @description Entries of a page. */
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page: the disputes of at most 500 orders */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedDisputes'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listActivity: {
    parameters: {
      query?: {
        /** @description The name of an operator. */
        person?: string;
        kind?: 'action' | 'reveal' | 'query' | 'refusal' | 'session' | 'configuration';
        /** @description Without `kind`: leaves out this kind, such as the many queries. */
        without?: 'action' | 'reveal' | 'query' | 'refusal' | 'session' | 'configuration';
        /** @description An action, a query, the cause of a refusal, or the type of another event. */
        name?: string;
        /** @description An orderid, delivery, case, stream, merchant or gate. */
        target?: string;
        /** @description With Z or an offset. */
        since?: string;
        /** @description With Z or an offset. */
        until?: string;
        /** @description Entries of a page. */
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page, at most 500. An operator limited to merchants gets its own entries and those about orders of its merchants */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ActivityListed'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  findOrders: {
    parameters: {
      query: {
        /** @description An identifier of any kind. */
        q: string;
        /** @description Only orders of this merchant. */
        merchant?: string;
        /** @description Orders of a page. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Each with the identifier’s role in it */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Found'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Read from its stream, with its legal holds and erasures */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ShownOrder'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listDeliveries: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The oldest first */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            deliveries: components['schemas']['DeliveryJson'][];
          };
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  settleUnknown: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResolveRequest'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            order: components['schemas']['OrderSummary'];
          };
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No outcome is unknown, the gate may still report it, or the order changed during the request */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  resendDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description `<webhook-id>:<target>`, from the order’s deliveries. */
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResendRequest'];
      };
    };
    responses: {
      /** @description The callback will be sent at once */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            deliveryId: string;
            merchant: string;
            isDueAlready: boolean;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  unparkStream: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The stream in the log line projection.parked. */
        stream: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UnparkRequest'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            stream: string;
            applied: string[];
            stillParked: string[];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No projection has parked the stream */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            error: string;
            /**
             * @description The order index lacks part of the log, so an existing order may not be found.
             * @enum {string}
             */
            index?: 'behind' | 'missing';
            applied: string[];
            stillParked: string[];
          };
        };
      };
      /** @description One of its events still cannot be applied */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            error: string;
            /**
             * @description The order index lacks part of the log, so an existing order may not be found.
             * @enum {string}
             */
            index?: 'behind' | 'missing';
            applied: string[];
            stillParked: string[];
          };
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listUnknownAsOf: {
    parameters: {
      query: {
        knownAt: string;
        merchant?: string;
        /** @description The `next` of the previous page. */
        after?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page, which may be empty although more follow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UnknownOrdersAt'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showOrderAsOf: {
    parameters: {
      query?: {
        /** @description The state after this event, counted from 0. */
        atVersion?: string;
        /** @description The data recorded up to this time. */
        knownAt?: string;
        /** @description The state at this time by the gates’ clocks. */
        trueAt?: string;
      };
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StateAsOf'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  diffOrder: {
    parameters: {
      query: {
        from: string;
        to: string;
        /** @description `true`: times are by the gates’ clocks. */
        true?: string;
      };
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            differences: components['schemas']['DifferenceJson'][];
          };
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  orderSteps: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Any state, and any difference between two, without a further request */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderSteps'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  explainOrder: {
    parameters: {
      query: {
        /** @description The state after this event, counted from 0. */
        atVersion?: string;
        /** @description The data recorded up to this time. */
        knownAt?: string;
        /** @description The state at this time by the gates’ clocks. */
        trueAt?: string;
        /** @description Its path in the state, such as `status`, `card.bin` or `followUps[0].status`. */
        field: string;
      };
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhyJson'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listGates: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Circuits of the answering process, because each has its own; calls of all processes */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedGates'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  explainRoute: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RouteQuestionRequest'];
      };
    };
    responses: {
      /** @description By the current rules and time */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RouteExplanation'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown entry point */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No such order would be accepted */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listHolds: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The oldest first. An operator limited to merchants sees the entry points of its merchants */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            holds: components['schemas']['HeldJson'][];
          };
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  holdGate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The alias of the gate. */
        alias: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SwitchRequest'];
      };
    };
    responses: {
      /** @description The gate is held, now or since before */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Switched'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  releaseGate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The alias of the gate. */
        alias: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SwitchRequest'];
      };
    };
    responses: {
      /** @description The gate is not held */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Switched'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  holdEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the entry point. */
        endpointId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SwitchRequest'];
      };
    };
    responses: {
      /** @description The entry point is held, now or since before */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Switched'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  releaseEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the entry point. */
        endpointId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SwitchRequest'];
      };
    };
    responses: {
      /** @description The entry point is not held */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Switched'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  configurationStatus: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Processes that have ended stay until the next change */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigurationStatus'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  checkConfiguration: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Its faults, its differences with key ids in place of secrets, and what needs a restart */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CheckedConfiguration'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  configurationForecast: {
    parameters: {
      query?: {
        /** @description Of an applied configuration. Absent: the newest with a what-if. */
        digest?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description `expected.ends` counts past orders as they would end */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigurationForecast'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No applied configuration has a what-if */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  applyConfiguration: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ApplyConfigurationRequest'];
      };
    };
    responses: {
      /** @description In force in this process. The others follow within seconds; the status shows which did not */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Applied'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Nothing was changed: the file has faults, has changed since the check, or needs a restart */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  recordReport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReportRequest'];
      };
    };
    responses: {
      /** @description The report is recorded, now or since before */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            order: components['schemas']['OrderSummary'];
            isKnown: boolean;
          };
        };
      };
      /** @description The report came from a file and does not fit the order: kept for an operator to review */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            setAside: string;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The report does not fit the order */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listCases: {
    parameters: {
      query?: {
        gate?: string;
        kind?: 'different' | 'missing-here' | 'missing-there' | 'duplicate';
        /** @description Cases about the order with this orderid. */
        order?: string;
        /** @description Opened at this time or later. */
        since?: string;
        /** @description Opened before this time. */
        until?: string;
        /** @description `true`: includes closed cases. */
        all?: 'true' | 'false';
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. At most 1,000 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedCases'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  openCases: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OpenCasesRequest'];
      };
    };
    responses: {
      /** @description In the order of the request */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cases: components['schemas']['OpenedCase'][];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  caseEffect: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of cases. */
        caseId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CaseEffect'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  closeCase: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of cases. */
        caseId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CloseCaseRequest'];
      };
    };
    responses: {
      /** @description It is closed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            caseId: string;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The case was closed before */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  applyCase: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of cases. */
        caseId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ApplyCaseRequest'];
      };
    };
    responses: {
      /** @description It is applied */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            caseId: string;
            /** @enum {string} */
            to: 'approved' | 'declined';
            /** @enum {string} */
            effect: 'held-already' | 'reconciled' | 'resolved';
          };
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The case was closed before, has no status, or contradicts the order’s other transactions */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  inquireGate: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['InquireRequest'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InquiryPage'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description This gate does not support inquiries */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showLog: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LogJson'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listCheckpoints: {
    parameters: {
      query?: {
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CheckpointsAnswer'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  proveEvent: {
    parameters: {
      query?: {
        /** @description With `revision`. */
        stream?: string;
        /** @description Number of the event in its stream, from 0. */
        revision?: string;
        /** @description In place of `stream` and `revision`. */
        position?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventProofJson'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown event */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No checkpoint covers the event yet, or nothing is signed */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The event differs from the signed one, or the tree is damaged */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  proveConsistency: {
    parameters: {
      query: {
        /** @description Size of the older checkpoint. */
        from: string;
        /** @description Size of the later checkpoint. Default: the newest. */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsistencyProof'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No checkpoint has this size */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The tree is damaged */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showEvent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of its stream. */
        stream: string;
        /** @description The name of its stream. */
        revision: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description If its data could be used to charge a card, they are left out, and the digest that its leaf contains is given */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RawEventJson'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  readFeed: {
    parameters: {
      query?: {
        /** @description The position of the last item that the reader has. The header `Last-Event-ID` takes precedence. Default: only new events. */
        from?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description `id` is the position, which a reader sends back to resume. Ends with the event `end` and its reason: slow, access, renewal, stopping or unavailable */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['FeedItem'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listWhatIfs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description At most 20 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            whatIfs: components['schemas']['WhatIfJson'][];
          };
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  startWhatIf: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StartWhatIfRequest'];
      };
    };
    responses: {
      /** @description It runs in the answering process, which keeps the newest 20 results */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIfJson'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Another what-if runs in this process */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showWhatIf: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of what-ifs. */
        whatIfId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIfJson'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  whatIfOrders: {
    parameters: {
      query?: {
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The id from the list of what-ifs. */
        whatIfId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. The newest what-if adds orders while it runs */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIfOrders'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  stopWhatIf: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of what-ifs. */
        whatIfId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StopWhatIfRequest'];
      };
    };
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIfJson'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It has ended */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listOrders: {
    parameters: {
      query?: {
        /** @description The orderid. */
        order?: string;
        clientOrderId?: string;
        invoiceId?: string;
        /** @description The serial-number of the request that started it. */
        correlation?: string;
        cardReference?: string;
        /** @description The card's own id (`unq-card-ref-id`). */
        card?: string;
        receipt?: string;
        rrn?: string;
        /** @description The gate's reference of a transaction, order or case, or the key of the request to the gate. */
        reference?: string;
        approvalCode?: string;
        /** @description The first six and the last four digits of a card of it. */
        cardMask?: string;
        /** @description An operator whose action is in the order's stream. */
        operator?: string;
        merchant?: string;
        endpoint?: string;
        /** @description The context. */
        kind?: 'payment' | 'recurring' | 'deviceVerification' | 'transfer';
        operation?: 'sale' | 'preauth' | 'account-verification' | 'transfer';
        status?: 'approved' | 'declined' | 'error' | 'filtered' | 'processing' | 'unknown' | 'chain_declined';
        /** @description As `order-stage` of a status answer. */
        stage?: string;
        /** @description The last gate of the order. */
        gate?: string;
        /** @description The code of a status that is not approved. */
        code?: number;
        /** @description ISO 4217. */
        currency?: string;
        /** @description Of a card of it. */
        lastFour?: string;
        /** @description The descriptor on the payer's statement has this text. */
        descriptor?: string;
        /** @description Created or processed on this day, the day before or the day after. */
        on?: string;
        /** @description Time zone of `on`. Default: UTC. */
        zone?: string;
        /** @description Major units with a dot; needs a currency. */
        amountFrom?: string;
        /** @description Major units with a dot; needs a currency. */
        amountTo?: string;
        /** @description With Z or an offset. */
        createdFrom?: string;
        /** @description With Z or an offset. */
        createdTo?: string;
        /** @description With Z or an offset. */
        updatedFrom?: string;
        /** @description With Z or an offset. */
        updatedTo?: string;
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
        format?: 'json' | 'ndjson' | 'csv';
        /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
        actor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Newest first, as JSON, NDJSON or CSV */
      200: {
        headers: {
          /** @description `cursor` of the next page of a list. */
          'Audit-Next'?: string;
          /** @description Data that the rows do not contain: `references` of a card, `orders` not checked, `events` of the order, `questions` about it. */
          'Audit-Left-Out'?: string;
          /** @description `missing` or `behind`, if the index of orders lags behind the log. */
          'Audit-Index'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderPage'];
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  searchOrders: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SearchOrdersRequest'];
      };
    };
    responses: {
      /** @description Newest first, as JSON, NDJSON or CSV */
      200: {
        headers: {
          /** @description `cursor` of the next page of a list. */
          'Audit-Next'?: string;
          /** @description Data that the rows do not contain: `references` of a card, `orders` not checked, `events` of the order, `questions` about it. */
          'Audit-Left-Out'?: string;
          /** @description `missing` or `behind`, if the index of orders lags behind the log. */
          'Audit-Index'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderPage'];
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  orderTrail: {
    parameters: {
      query?: {
        /** @description If given, the order must belong to this merchant. */
        merchant?: string;
        /** @description The kind of identifier. Default: both kinds. */
        by?: 'orderid' | 'client_orderid';
        format?: 'json' | 'ndjson' | 'csv';
        /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
        actor?: string;
      };
      header?: never;
      path: {
        /** @description An orderid or a client_orderid. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description In the order of the log, as JSON, NDJSON or CSV */
      200: {
        headers: {
          /** @description `cursor` of the next page of a list. */
          'Audit-Next'?: string;
          /** @description Data that the rows do not contain: `references` of a card, `orders` not checked, `events` of the order, `questions` about it. */
          'Audit-Left-Out'?: string;
          /** @description `missing` or `behind`, if the index of orders lags behind the log. */
          'Audit-Index'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrailPage'];
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Orders of several merchants carry this client_orderid */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  revealOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description An orderid or a client_orderid. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RevealRequest'];
      };
    };
    responses: {
      /** @description In the order of the log, as JSON, NDJSON or CSV */
      200: {
        headers: {
          /** @description `cursor` of the next page of a list. */
          'Audit-Next'?: string;
          /** @description Data that the rows do not contain: `references` of a card, `orders` not checked, `events` of the order, `questions` about it. */
          'Audit-Left-Out'?: string;
          /** @description `missing` or `behind`, if the index of orders lags behind the log. */
          'Audit-Index'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrailPage'];
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Orders of several merchants carry this client_orderid */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  configurationInForce: {
    parameters: {
      query?: {
        /** @description Default: now. */
        at?: string;
        /** @description The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
        actor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ShownConfiguration'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description None was recorded at that time */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  orderEvidence: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description An orderid or a client_orderid. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EvidenceRequest'];
      };
    };
    responses: {
      /** @description The pack */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/zip': string;
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No signed checkpoint covers its events yet, or several merchants have an order of this name */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  previewRetention: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Counts of at most 200 orders, the longest due first. Not recorded: it names no order and no person */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RetentionPreview'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  eraseOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EraseOrderRequest'];
      };
    };
    responses: {
      /** @description Erased; without `requestId` there was nothing to erase */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Erased'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The order is under legal hold, or its data are still needed: `error` gives the reason */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  eraseCard: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The reference from create-card-ref. */
        cardRefId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EraseCardRequest'];
      };
    };
    responses: {
      /** @description Erased; without `requestId` there was nothing to erase */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Erased'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The order is under legal hold, or not final */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  placeHold: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['HoldRequest'];
      };
    };
    responses: {
      /** @description The order is under legal hold, now or since before */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Held'];
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The order is being erased */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  releaseHold: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReleaseRequest'];
      };
    };
    responses: {
      /** @description The legal hold is released */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Held'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is not held */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  findCustomer: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['FindCustomerRequest'];
      };
    };
    responses: {
      /** @description A page may be empty although more follow */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            orders: {
              orderId: string;
              clientOrderId: string;
              status: string;
              /** Format: date-time */
              acceptedAt: string;
            }[];
            /** @description `after` of the next page, if the log has more events. */
            next?: string;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  returnOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MoveMoneyRequest'];
      };
    };
    responses: {
      /** @description The follow-up is accepted, now or by an earlier request with this key. The merchant is notified of its outcome */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestedFollowUp'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused, with the code of the merchant API: `error` gives the reason */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            error: string;
            /**
             * @description The order index lacks part of the log, so an existing order may not be found.
             * @enum {string}
             */
            index?: 'behind' | 'missing';
            code: number;
          };
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  captureOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MoveMoneyRequest'];
      };
    };
    responses: {
      /** @description The follow-up is accepted, now or by an earlier request with this key. The merchant is notified of its outcome */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestedFollowUp'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused, with the code of the merchant API: `error` gives the reason */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            error: string;
            /**
             * @description The order index lacks part of the log, so an existing order may not be found.
             * @enum {string}
             */
            index?: 'behind' | 'missing';
            code: number;
          };
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  voidOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The value that the merchant received. */
        orderId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VoidOrderRequest'];
      };
    };
    responses: {
      /** @description The follow-up is accepted, now or by an earlier request with this key. The merchant is notified of its outcome */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestedFollowUp'];
        };
      };
      /** @description It waits for the approval of a second person */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused, with the code of the merchant API: `error` gives the reason */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            error: string;
            /**
             * @description The order index lacks part of the log, so an existing order may not be found.
             * @enum {string}
             */
            index?: 'behind' | 'missing';
            code: number;
          };
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listApprovals: {
    parameters: {
      query?: {
        /** @description `waiting`: for a decision, oldest first. `approved`: the execution is not recorded. Absent: all, newest first. */
        state?: 'waiting' | 'approved' | 'decided';
        /** @description Only proposals of the caller. */
        mine?: 'true' | 'false';
        /** @description Entries of a page. */
        limit?: number;
        /** @description The `next` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. At most 500 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ListedApprovals'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showApproval: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of approvals. */
        approvalId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Read from the log */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ShownApproval'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  approveAction: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of approvals. */
        approvalId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ApproveRequest'];
      };
    };
    responses: {
      /** @description Approved. `status` is `done`, or `approved` if the execution is not recorded */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The caller proposed it, or may not execute the action itself */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It was decided before, has expired, its order or the configuration changed, or its action was refused: `error` gives the reason */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  rejectAction: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of approvals. */
        approvalId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RejectRequest'];
      };
    };
    responses: {
      /** @description Rejected */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The caller may not execute the action itself */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It was decided before or has expired */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  executeAction: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id from the list of approvals. */
        approvalId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ExecuteRequest'];
      };
    };
    responses: {
      /** @description Executed. `status` is `done` */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approval: components['schemas']['ShownApproval'];
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is not approved, was executed before, or its action was refused */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  resendDeliveries: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResendDeliveriesRequest'];
      };
    };
    responses: {
      /** @description Without `token`: the count, and the token that names it for 24 hours. Nothing is sent */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description 10,000 means this many or more. */
            count: number;
            /** @description Names the filter and the moment of the count. */
            token: string;
          };
        };
      };
      /** @description With `token`: attempts are requested. Repeat the call with `next` as `cursor`; a repeated call requests nothing twice */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            requested: number;
            /** @description Already due, or changed since the count. */
            skipped: number;
            /** @description The cursor of the next call. Absent at the end. */
            next?: string;
          };
        };
      };
      /** @description A member is missing, misspelt or invalid */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Unknown id */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The token is not that of a count of this filter */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is larger than 16 KiB */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description The body is not JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description It is unknown whether the action took effect */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description By key id; erased records have no key */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyUse'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  showOverview: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A part whose store does not answer is null. To an operator limited to merchants, of their orders only */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Overview'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listParked: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Broken chains first, then the oldest; at most 1,000 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ParkedStreams'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
  listProjections: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description With the end of the log */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProjectionStates'];
        };
      };
      /** @description The query is malformed */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description No valid operator token */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description Refused: an insufficient role, an unknown `Host`, or a request from a browser page */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
      /** @description A store does not answer */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Refused'];
        };
      };
    };
  };
}
