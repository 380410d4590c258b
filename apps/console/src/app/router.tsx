import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
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

const root = createRootRoute({ component: Shell, notFoundComponent: UnknownScreen });

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: Overview }),
  createRoute({
    getParentRoute: () => root,
    path: '/orders',
    validateSearch: ordersSearch,
    component: lazyRouteComponent(() => import('../screens/orders'), 'Orders'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/orders/$orderId',
    validateSearch: orderSearch,
    component: lazyRouteComponent(() => import('../screens/order/order'), 'Order'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/queues',
    validateSearch: queuesSearch,
    component: lazyRouteComponent(() => import('../screens/queues'), 'Queues'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/gates',
    validateSearch: gatesSearch,
    component: lazyRouteComponent(() => import('../screens/gates'), 'Gates'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/what-if',
    validateSearch: whatIfSearch,
    component: lazyRouteComponent(() => import('../screens/what-if'), 'WhatIf'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/activity',
    validateSearch: activitySearch,
    component: lazyRouteComponent(() => import('../screens/activity'), 'Activity'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/log',
    validateSearch: logSearch,
    component: lazyRouteComponent(() => import('../screens/log'), 'Log'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/approvals',
    validateSearch: approvalsSearch,
    component: lazyRouteComponent(() => import('../screens/approvals'), 'Approvals'),
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
