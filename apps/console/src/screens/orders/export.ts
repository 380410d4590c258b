import { answerOf, port } from '../../port';
import { joinedPages, type FileFormat } from '../../save-file';
import type { OrderFilters } from '../orders.search';
import { queryOf } from './filters';

const PAGE_ROWS = 500;
/** Each page is a query of its own at the port, so a huge export needs narrower filters. */
const EXPORT_PAGES_MAX = 40;
export const EXPORT_ROWS_MAX = PAGE_ROWS * EXPORT_PAGES_MAX;

interface Exported {
  readonly text: string;
  /** There are more orders than an export may have. */
  readonly isCut: boolean;
}

/**
 * All orders of the filters, page by page.
 * @throws PortRefusal
 */
export const exportOrders = async (filters: OrderFilters, format: FileFormat, onPage: (pages: number) => void): Promise<Exported> => {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    let next: string | null = null;
    const query = { ...queryOf(filters), format, limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) };
    const asked = port.GET('/audit/orders', { params: { query }, parseAs: 'text' }).then((answer) => {
      next = answer.response.headers.get('Audit-Next');
      return answer;
    });
    pages.push(String(await answerOf<unknown>(asked)));
    onPage(pages.length);
    cursor = next ?? undefined;
  } while (cursor !== undefined && pages.length < EXPORT_PAGES_MAX);
  return { text: joinedPages(format, pages), isCut: cursor !== undefined };
};
