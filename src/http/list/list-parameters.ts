import Type from 'typebox'

const text = (description: string) => Type.Optional(Type.String({ description }))

/** The query parameters of every list, for the API's description; `parseListQuery` reads them. */
export const listParameters = Type.Object(
  {
    start: text('How many entries to pass over. Default 0.'),
    limit: text('How many entries to give; 0 for all.'),
    search: text(
      'Words that must be found; `"two words"`, `!not`, `+"exact name"`, `or`, `ids:1,2`, `is:published`, `is:unpublished`, `is:mine`, `name:text`.',
    ),
    orderBy: text('The fields to order by, separated by commas. Default: id.'),
    orderByDir: text('`ASC` (default) or `DESC`.'),
    published: text('`1` for published entries only.'),
  },
  // Mautic's `minimal` changes nothing where fields have no groups.
  { alsoKnown: ['where', 'order', 'publishedOnly', 'minimal'] },
)
