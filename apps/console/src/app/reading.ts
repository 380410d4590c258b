import { keepPreviousData, QueryClient, useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { answerOf, PortRefusal } from '../port';

/** Which events of the feed make an answer stale: all, those of one order, or none. Queries about orders are audited, so lists use none. */
type Live = 'all' | { readonly orderId: string } | 'never';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { readonly live?: Live };
    defaultError: PortRefusal | Error;
  }
}

const RETRIES_MAX = 2;
const KEPT_MS = 5 * 60_000;

/** Asks only when a person or the feed gives a reason, because the port records queries about orders. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: KEPT_MS,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: 'always',
      retry: (failures, error) => failures < RETRIES_MAX && error instanceof PortRefusal && (error.status === 503 || error.status === 0),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

interface Reading<T> {
  /** Path and parameters: equal keys share an answer. */
  readonly key: readonly unknown[];
  readonly ask: (signal: AbortSignal) => Parameters<typeof answerOf<T>>[0];
  readonly live?: Live;
  /** Asks again after this time, for what changes without an event. A function may end it with false. */
  readonly everyMs?: number | ((data: T | undefined, timesAsked: number) => number | false);
  readonly isEnabled?: boolean;
  /** The former answer stays while one to a changed key loads. */
  readonly keepsPrevious?: boolean;
}

/** An answer of the port: `useReading({ key: ['/gates'], ask: (signal) => port.GET('/gates', { signal }) })`. */
export const useReading = <T>({
  key,
  ask,
  live = 'never',
  everyMs,
  isEnabled = true,
  keepsPrevious = false,
}: Reading<T>): UseQueryResult<T, PortRefusal | Error> =>
  useQuery<T, PortRefusal | Error>({
    queryKey: key,
    queryFn: ({ signal }) => answerOf(ask(signal)),
    meta: { live },
    enabled: isEnabled,
    refetchInterval:
      typeof everyMs === 'function'
        ? ({ state }) => everyMs(state.data, state.dataUpdateCount + state.errorUpdateCount)
        : (everyMs ?? false),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });

interface PagedReading<Page> {
  readonly key: readonly unknown[];
  /** `cursor` is undefined for the first page. */
  readonly ask: (cursor: string | undefined, signal: AbortSignal) => Parameters<typeof answerOf<Page>>[0];
  readonly isEnabled?: boolean;
}

export interface Pages<Page> {
  readonly pages: readonly Page[];
  readonly query: UseQueryResult<readonly Page[], PortRefusal | Error>;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}

/** A list by cursor pages. The rows are `pages.flatMap((page) => page.orders)`. The previous rows stay while a changed filter loads. */
export const usePages = <Page extends { readonly next?: string | null | undefined }>({
  key,
  ask,
  isEnabled = true,
}: PagedReading<Page>): Pages<Page> => {
  const found = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => answerOf(ask(pageParam, signal)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages,
    enabled: isEnabled,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  return {
    pages: data ?? [],
    query: found,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
  };
};
