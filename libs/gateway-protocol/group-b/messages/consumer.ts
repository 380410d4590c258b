import { IsOptional } from 'class-validator';
import { BirthDay, Holds, SignedText, Text, Texts } from '../members/member-decorators';

const EMAIL_LENGTH_MIN = 3;
const EMAIL_LENGTH_MAX = 128;
const IP_ADDRESS_LENGTH_MIN = 7;
const IP_ADDRESS_LENGTH_MAX = 15;

/** A device as check, notification and client ids name it (interface, sections 4.6 and 4.8). */
export class NamedDevice {
  @SignedText(1, 50)
  readonly serialNumber!: string;
}

export class Device extends NamedDevice {
  @IsOptional()
  @Text(14, 16)
  readonly imei?: string;
}

export class NamedConsumer {
  @Holds(NamedDevice)
  readonly device!: NamedDevice;
}

/** The consumer of an initiate request (interface, section 4.4). */
export class InitiateConsumer {
  @Holds(Device)
  readonly device!: Device;

  @IsOptional()
  @Texts(IP_ADDRESS_LENGTH_MIN, IP_ADDRESS_LENGTH_MAX)
  readonly ipAddresses?: readonly string[];
}

/** The consumer of a perform request (interface, section 4.5). */
export class PerformConsumer extends InitiateConsumer {
  /** Required by the interface, unless the endpoint's configuration makes it optional. */
  @IsOptional()
  @Text(EMAIL_LENGTH_MIN, EMAIL_LENGTH_MAX)
  readonly email?: string;

  /** As ddMMyyyy. */
  @IsOptional()
  @BirthDay()
  readonly birthDay?: string;
}

/** The consumer in a merchant server's answer to a check (interface, section 4.6). */
export class KnownConsumer {
  @IsOptional()
  @Text(EMAIL_LENGTH_MIN, EMAIL_LENGTH_MAX)
  readonly email?: string;
}

export class VerifiedConsumer extends KnownConsumer {
  /** As ddMMyyyy. */
  @IsOptional()
  @BirthDay()
  readonly birthDay?: string;

  @IsOptional()
  @Texts(IP_ADDRESS_LENGTH_MIN, IP_ADDRESS_LENGTH_MAX)
  readonly ipAddresses?: readonly string[];
}
