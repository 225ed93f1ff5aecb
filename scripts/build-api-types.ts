import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'

/** Writes the types of the API's requests and answers, from `docs/openapi.json`, for the console in `web/`. */
const root = join(import.meta.dirname, '..')
const document: OpenAPI3 = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
// A field with a default may be left out of a request.
const types = await openapiTypescript(document, { defaultNonNullable: false })
const folder = join(root, 'web/generated')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'api-types.ts'), astToString(types))
