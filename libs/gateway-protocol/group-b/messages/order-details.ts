import { IsOptional } from 'class-validator';
import { CountryCode, Holds, RealNumber, Text } from '../members/member-decorators';
import { DEVICE_TEXT_LENGTH_MAX } from '../device-limits';

/** Degrees (interface, section 2.6). */
export class Location {
  @IsOptional()
  @RealNumber(-90, 90)
  readonly lat?: number;

  @IsOptional()
  @RealNumber(-180, 180)
  readonly lng?: number;
}

export class BillingAddress {
  @IsOptional()
  @Text(1, 100)
  readonly city?: string;

  /** ISO 3166 alpha-3. */
  @IsOptional()
  @CountryCode()
  readonly country?: string;

  @IsOptional()
  @Text(1, 10)
  readonly postcodeZip?: string;

  @IsOptional()
  @Text(2, 3)
  readonly state?: string;

  @IsOptional()
  @Text(1, 50)
  readonly street?: string;

  @IsOptional()
  @Text(1, 50)
  readonly street2?: string;
}

/** Interface, sections 2.6 and 4.5. */
export class Billing {
  @IsOptional()
  @Holds(BillingAddress)
  readonly address?: BillingAddress;

  @IsOptional()
  @Text(1, 20)
  readonly phone?: string;
}

/** The purpose of the order (interface, sections 2.6 and 4.5). */
export class OrderDetails {
  @IsOptional()
  @Text(0, DEVICE_TEXT_LENGTH_MAX)
  readonly description?: string;

  @IsOptional()
  @Text(0, DEVICE_TEXT_LENGTH_MAX)
  readonly siteUrl?: string;

  @IsOptional()
  @Text(0, DEVICE_TEXT_LENGTH_MAX)
  readonly purpose?: string;
}
