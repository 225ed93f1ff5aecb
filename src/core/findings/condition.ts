import type { Storage } from '../../platform/storage/index.ts'
import type { TransportState } from '../delivery/index.ts'
import type { EventType } from '../published/index.ts'
import type { Finding, FindingAction } from './finding-schema.ts'

/** Something that goes on, with a record or with none. */
export interface Condition {
  /** What goes on: a sentence. */
  detail: string
  /** See `Finding`. */
  shared?: string
  /** The record that it is about. */
  record?: { id: number; name: string }
  /** What tells it from others of its kind with the same record. */
  part?: string
  /** Default: that of its kind. */
  severity?: Finding['severity']
  /** The data of its event, besides the message. */
  data?: Readonly<Record<string, unknown>>
  /** When it began and ends. */
  since?: string | null
  until?: string | null
  /** When it was seen last, in milliseconds since the epoch, where only this process knows of it. */
  seenAt?: number
}

/** What conditions are found in. */
export interface ConditionSources {
  storage: Storage
  /** The transports that this process has used. */
  listTransports: () => readonly TransportState[]
}

/** What the conditions of one kind have in common. Each is a finding. */
export interface ConditionKind extends Pick<Finding, 'check' | 'severity' | 'command'> {
  /** The type of the event that tells that one begins. Default: none is published. */
  event?: EventType
  /** Whether its conditions are no findings. Default: they are. */
  isEventOnly?: true
  /** Whether one that begins again before its `until`, with which its `part` ends, is not published again. */
  isOnce?: true
  fix: string
  /** The table of the records that they are about: a condition has the brand of its record. Default: none has one. */
  records?: 'limits' | 'mautics' | 'oauth_clients' | 'transports' | 'webhooks'
  /** On the record that it is about, if it has one. */
  actions: readonly FindingAction['action'][]
  find: (sources: ConditionSources, now: number) => Promise<Condition[]>
}
