import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { activitySearch } from '../screens/activity.search';
import { approvalsSearch } from '../screens/approvals.search';
import { gatesSearch } from '../screens/gates.search';
import { logSearch } from '../screens/log.search';
import { orderSearch } from '../screens/order/order.search';
import { ordersSearch } from '../screens/orders.search';
import { Overview } from '../screens/overview';
import { queuesSearch } from '../screens/queues.search';
import { whatIfSearch } from '../screens/what-if.search';
import { Skeleton } from '../ui/states';
import { parseSearch, stringifySearch } from './search';
import { Shell } from './shell';
import { BrokenScreen, UnknownScreen } from './fallbacks';
import { lazyScreen } from './lazy-screen';

const root = createRootRoute({ component: Shell, notFoundComponent: UnknownScreen });

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: Overview }),
  createRoute({
    getParentRoute: () => root,
    path: '/orders',
    validateSearch: ordersSearch,
    component: lazyScreen(() => import('../screens/orders'), 'Orders'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/orders/$orderId',
    validateSearch: orderSearch,
    component: lazyScreen(() => import('../screens/order/order'), 'Order'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/queues',
    validateSearch: queuesSearch,
    component: lazyScreen(() => import('../screens/queues'), 'Queues'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/gates',
    validateSearch: gatesSearch,
    component: lazyScreen(() => import('../screens/gates'), 'Gates'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/what-if',
    validateSearch: whatIfSearch,
    component: lazyScreen(() => import('../screens/what-if'), 'WhatIf'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/activity',
    validateSearch: activitySearch,
    component: lazyScreen(() => import('../screens/activity'), 'Activity'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/log',
    validateSearch: logSearch,
    component: lazyScreen(() => import('../screens/log'), 'Log'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/approvals',
    validateSearch: approvalsSearch,
    component: lazyScreen(() => import('../screens/approvals'), 'Approvals'),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Skeleton,
  defaultPendingMs: 150,
  defaultErrorComponent: BrokenScreen,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
