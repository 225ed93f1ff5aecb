import { createRequire } from 'node:module'
import type OAuth2Server from '@node-oauth/oauth2-server'

const require = createRequire(import.meta.url)

/** The library of the grants, loaded when the first token is asked for: not every start needs it. */
export function loadOAuthLibrary(): typeof OAuth2Server {
  return require('@node-oauth/oauth2-server') as typeof OAuth2Server
}
