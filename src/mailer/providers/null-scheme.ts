import type { NullScheme } from './provider.ts'

/** `null://null`: every message is accepted and dropped. */
export const nullScheme: NullScheme = { kind: 'null', names: ['null'], isUserSecret: false }
