import { All, Controller, Get, HttpStatus, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { AttemptKey } from '@app/kernel';
import type { Page } from '@app/gateway-adapters/simulator';
import { messagePage, PAGE_POLICY } from '@app/gateway-protocol';
import { token } from '@app/injection';
import { HTML_TYPE, methodNotAllowed, sendAnswer } from '@app/http-server';

/** The simulators among the gates, by alias. */
export interface SimulatorPages {
  pageFor(gate: string, key: AttemptKey): Page | undefined;
}

export const SIMULATOR_PAGES = token<SimulatorPages>('SIMULATOR_PAGES');

/** Stands in for the issuer's authentication page of simulator gates (protocol decisions, section 9). */
@Controller('simulator/authentication')
export class SimulatorPageController {
  constructor(@Inject(SIMULATOR_PAGES) private readonly pages: SimulatorPages) {}

  @Get(':gate/:key')
  show(@Param('gate') gate: string, @Param('key') key: string, @Res() response: Response): void {
    const page = this.pages.pageFor(gate, key as AttemptKey);
    if (page === undefined) {
      const body = messagePage({
        title: 'Not found',
        message: 'Nobody waits for an authentication here. Go back to the shop that you came from.',
      });
      sendAnswer(response, { status: HttpStatus.NOT_FOUND, contentType: HTML_TYPE, body, policy: PAGE_POLICY });
      return;
    }
    sendAnswer(response, { status: HttpStatus.OK, contentType: HTML_TYPE, body: page.html, policy: page.csp });
  }

  @Post(':gate/:key')
  showToPost(@Param('gate') gate: string, @Param('key') key: string, @Res() response: Response): void {
    this.show(gate, key, response);
  }

  @All(':gate/:key')
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'GET, POST');
  }
}
