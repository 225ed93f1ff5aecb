import { requireText } from '../callables/arguments.ts'
import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { escapeUrl } from '../escaping/url.ts'
import { toInt } from '../php/casts.ts'
import { httpQuery } from '../php/http-query.ts'
import { encodeJson } from '../php/json.ts'
import { isCollection } from '../values/collections.ts'

/** `url_encode`: a text for a part of a URL, a mapping for its query. */
export const urlEncode: FilterDefinition = {
  name: 'url_encode',
  signature: signature(''),
  apply(value, _args, { budget }) {
    if (isCollection(value)) return httpQuery(value, budget)
    return escapeUrl(requireText(value, '"url_encode" filter'), budget)
  },
}

/** `json_encode`: PHP's JSON; `flags` are PHP's too. */
export const jsonEncode: FilterDefinition = {
  name: 'json_encode',
  signature: signature('flags = 0, depth = 512'),
  apply: (value, [flags = 0], { budget }) => encodeJson(value, toInt(flags), budget) ?? false,
}
