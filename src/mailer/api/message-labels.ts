import { readHeaders } from '../message/read-headers.ts'
import type { ApiMessage } from './api-adapter.ts'

/** What a message is labelled with for the provider's statistics. */
export interface MessageLabels {
  /** `X-Tag` headers. */
  readonly tags: readonly string[]
  /** `X-Metadata-*` headers. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Reads the labels of a message that goes out as raw MIME; it is parsed only where there are some. */
export async function readLabels(message: ApiMessage): Promise<MessageLabels> {
  const hasLabels = readHeaders(message.raw).some(({ name }) => /^x-(tag$|metadata-)/i.test(name))
  return hasLabels ? message.parse() : { tags: [], metadata: {} }
}
