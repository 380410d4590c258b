import { HttpStatus } from '@nestjs/common';
import type { Response } from 'express';
import { sendAnswer } from './http-answer';

/** A path that is an operation, asked in another way (protocol decisions, section 1). */
export const methodNotAllowed = (response: Response, allowed: string): void => {
  response.setHeader('Allow', allowed);
  sendAnswer(response, { status: HttpStatus.METHOD_NOT_ALLOWED, contentType: 'text/plain;charset=utf-8', body: 'Method Not Allowed\n' });
};
