import { runTogether } from '../run-together.ts'

// Every module that no other suite names.
runTogether(
  'src/*.test.ts',
  'src/!(cli|config|delivery|http|kit|mailer|messages|relay|resource|routing|storage|twig)/**/*.test.ts',
)
