import {
  byName,
  type FilterDefinition,
  type FunctionDefinition,
  type Signature,
  type TestDefinition,
} from '../callables/definition.ts'
import { specialFunctionNames } from '../parser/calls.ts'
import type { Vocabulary } from '../parser/tag.ts'

/**
 * A word of the language, for the completion of an editor.
 *
 * @example
 * ```ts
 * const entries: readonly CatalogueEntry[] = createTwig().catalogue()
 * for (const { kind, name, signature } of entries) console.log(kind, name, signature)
 * ```
 */
export interface CatalogueEntry {
  readonly kind: 'filter' | 'function' | 'test' | 'tag'
  readonly name: string
  /** How it is written: `range(low, high, step = 1)`. */
  readonly signature: string
  /** One line; empty for a filter, function or test of the host. */
  readonly description: string
  readonly isDeprecated: boolean
}

/** Functions that the parser handles. */
const specialFunctions: Readonly<
  Record<string, readonly [signature: string, description: string]>
> = {
  attribute: [
    'attribute(object, name, arguments = [])',
    'The attribute of a value whose name is computed.',
  ],
  block: ['block(name, template = null)', 'Prints a block again, also of another template.'],
  parent: ['parent()', 'The block of the parent template.'],
}

/** The form of each tag and one line about it, by name. */
export const tagDescriptions: Readonly<
  Record<string, readonly [signature: string, description: string]>
> = {
  apply: ['{% apply filter %}…{% endapply %}', 'Applies filters to a part of the template.'],
  autoescape: ["{% autoescape 'html' %}…{% endautoescape %}", 'Changes how output is escaped.'],
  block: ['{% block name %}…{% endblock %}', 'A part that a child template may replace.'],
  cache: ["{% cache 'key' %}…{% endcache %}", 'Renders its body; nothing is cached.'],
  deprecated: ["{% deprecated 'Use another.' %}", 'A warning for lint.'],
  do: ['{% do expression %}', 'Evaluates an expression and prints nothing.'],
  embed: ["{% embed 'name' %}…{% endembed %}", 'Includes a template and replaces its blocks.'],
  extends: ["{% extends 'name' %}", 'The parent template, whose blocks this one replaces.'],
  flush: ['{% flush %}', 'Does nothing.'],
  for: ['{% for item in items %}…{% else %}…{% endfor %}', 'Repeats its body for each element.'],
  from: ["{% from 'name' import macro %}", 'Imports some macros of a template.'],
  guard: ["{% guard filter 'name' %}…{% endguard %}", 'Parses its body only where a name exists.'],
  if: ['{% if condition %}…{% elseif other %}…{% else %}…{% endif %}', 'Decides by a condition.'],
  import: ["{% import 'name' as macros %}", 'Imports the macros of a template.'],
  include: ["{% include 'name' %}", 'Renders another template in this place.'],
  macro: ['{% macro name(argument) %}…{% endmacro %}', 'Defines a part with arguments.'],
  sandbox: ['{% sandbox %}…{% endsandbox %}', 'Renders its body; every template is restricted.'],
  set: ['{% set name = value %}', 'Assigns a variable.'],
  types: ["{% types {name: 'string'} %}", 'Documents the types of variables.'],
  use: ["{% use 'name' %}", 'Takes the blocks of another template.'],
  verbatim: ['{% verbatim %}…{% endverbatim %}', 'Prints its body as it is.'],
  with: ['{% with {name: value} %}…{% endwith %}', 'Variables for a part of the template.'],
}

/** Lists the words of a vocabulary, by kind and name. */
export function createCatalogue(vocabulary: Vocabulary): CatalogueEntry[] {
  const filters = [...vocabulary.filter.values()].map((filter) => callable('filter', filter))
  const functions = [
    ...[...vocabulary.function.values()].map((fn) => callable('function', fn)),
    ...specialFunctionNames.map((name) => word('function', name, specialFunctions[name])),
  ]
  const tests = [...vocabulary.test.values()].map((test) => callable('test', test))
  const tags = [...vocabulary.tag.keys(), 'verbatim'].map((name) =>
    word('tag', name, tagDescriptions[name]),
  )
  return [filters, functions, tests, tags].flatMap((entries) => entries.sort(byName))
}

function callable(
  kind: CatalogueEntry['kind'],
  definition: FilterDefinition | FunctionDefinition | TestDefinition,
): CatalogueEntry {
  const { name, signature, description = '', deprecation } = definition
  return {
    kind,
    name,
    signature: `${name}${formatParameters(signature, kind === 'function')}`,
    description,
    isDeprecated: deprecation !== undefined,
  }
}

function word(
  kind: 'function' | 'tag',
  name: string,
  [signature, description]: readonly [string, string] = [name, ''],
): CatalogueEntry {
  return { kind, name, signature, description, isDeprecated: false }
}

/** `(start, length = null)`; empty where a filter or test takes none. */
function formatParameters({ parameters, isVariadic }: Signature, isCall: boolean): string {
  const shown = parameters.map(({ name, fallback }) =>
    fallback === undefined ? name : `${name} = ${JSON.stringify(fallback)}`,
  )
  const all = [...shown, ...(isVariadic ? ['...values'] : [])]
  return all.length === 0 && !isCall ? '' : `(${all.join(', ')})`
}
