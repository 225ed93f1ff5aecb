import type { ApiVerdict, RefusalKind } from './api-adapter.ts'

/** What a refusal may say beside its words. */
export interface RefusalFields {
  /** The provider's own code; '' is none. */
  readonly code?: string
  /** Undefined where the status says it well enough. */
  readonly kind?: RefusalKind | undefined
}

/** A verdict that the provider did not take the message, in the provider's words. */
export function refused(text: string, { code = '', kind }: RefusalFields = {}): ApiVerdict {
  return {
    isAccepted: false,
    text,
    ...(code === '' ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
  }
}
