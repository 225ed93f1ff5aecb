import type { Budget } from '../../budget.ts'
import { define, type FunctionDefinition } from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { looselyEqual } from '../../php/comparison.ts'
import { entriesOf, findByKey, isCollection, valuesOf } from '../../values/collections.ts'
import { toBoolean, toKey, toText, typeName } from '../../values/conversions.ts'
import {
  type Collection,
  Markup,
  type ObjectKind,
  TwigObject,
  type Value,
} from '../../values/value.ts'

/** Classes by the variants of a component: what `html_cva` gives. */
interface Cva {
  readonly base: Value
  readonly variants: Value
  readonly compoundVariants: Value
  readonly defaultVariants: Value
}

const none: Collection = []
const collection = (value: Value | undefined): Collection => (isCollection(value) ? value : none)
const listOf = (value: Value | undefined): readonly Value[] => {
  if (isCollection(value)) return valuesOf(value)
  return value === undefined || value === null ? [] : [value]
}

const cvaKind: ObjectKind<Cva> = {
  className: 'Twig\\Extra\\Html\\Cva',
  call(cva, method, [recipes, ...additional], budget) {
    if (method.toLowerCase() !== 'apply') return undefined
    const chosen = collection(recipes)
    const classes = [
      ...listOf(cva.base),
      ...variantClasses(cva.variants, chosen),
      ...compoundClasses(cva.compoundVariants, chosen, budget),
      ...variantClasses(cva.variants, missingIn(chosen, collection(cva.defaultVariants))),
      ...additional,
    ]
    budget.spend(classes.length)
    const texts = classes.filter((name) => typeof name === 'string')
    for (const text of texts) budget.spend(text.length)
    const names = texts.join(' ').split(/\s+/)
    return [...new Set(names)].filter((name) => name !== '').join(' ')
  },
}

function variantClasses(variants: Value, recipes: Collection): Value[] {
  return [...entriesOf(recipes)].flatMap(([name, chosen]) => {
    const variant = findByKey(collection(variants), name)
    const key = typeof chosen === 'boolean' ? String(chosen) : toKey(chosen)
    return listOf(findByKey(collection(variant), key))
  })
}

function missingIn(recipes: Collection, defaults: Collection): Collection {
  return new Map(
    [...entriesOf(defaults)].filter(([name]) => (findByKey(recipes, name) ?? null) === null),
  )
}

function compoundClasses(compounds: Value, recipes: Collection, budget: Budget): Value[] {
  return listOf(compounds).flatMap((compound) => {
    const conditions = [...entriesOf(collection(compound))].filter(([name]) => name !== 'class')
    const holds = conditions.every(([name, wanted]) => {
      const chosen = findByKey(recipes, name)
      return (
        chosen !== undefined && listOf(wanted).some((value) => looselyEqual(value, chosen, budget))
      )
    })
    return holds ? listOf(findByKey(collection(compound), 'class')) : []
  })
}

export const classFunctions = define<FunctionDefinition>({
  'html_classes(...args)': {
    description: "The class names that hold: html_classes('btn', {active: isActive}).",
    call(args, { budget }) {
      const classes = new Set<string>()
      for (const [index, argument] of args.entries()) {
        if (typeof argument === 'string') classes.add(argument)
        else if (argument instanceof Markup) classes.add(argument.text)
        else if (isCollection(argument)) {
          for (const [name, condition] of entriesOf(argument)) {
            budget.spend(1)
            if (typeof name !== 'string') {
              throw runtimeFault(
                `The "html_classes" function argument ${index} (key ${name}) should be a string, got "int".`,
              )
            }
            if (toBoolean(condition)) classes.add(name)
          }
        } else {
          throw runtimeFault(
            `The "html_classes" function argument ${index} should be either a string or an array, got "${typeName(argument)}".`,
          )
        }
      }
      classes.delete('')
      for (const name of classes) budget.allocateText(name.length)
      return [...classes].join(' ')
    },
  },
  'html_cva(base = [], variants = [], compound_variants = [], default_variant = [])': {
    description: "Classes by the variants of a component: html_cva(…).apply({size: 'small'}).",
    call([base = [], variants = [], compoundVariants = [], defaultVariants = []]) {
      const cva: Cva = {
        base: isCollection(base) ? base : toText(base),
        variants,
        compoundVariants,
        defaultVariants,
      }
      return new TwigObject(cvaKind, cva)
    },
  },
})
