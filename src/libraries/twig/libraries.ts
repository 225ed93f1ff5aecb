import { createRequire } from 'node:module'

/** Loads a library when a template first needs it, not when the service starts. */
export const require = createRequire(import.meta.url)
