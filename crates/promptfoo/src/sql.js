let Parser;
try {
  ({ Parser } = process.mainModule.require('node-sql-parser'));
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND') throw error;
  throw new Error('the package `node-sql-parser` is not beside the configuration: npm install node-sql-parser');
}
const { databaseType, allowedTables, allowedColumns } = context.config ?? {};
const parser = new Parser();
const database = databaseType || 'MySQL';
const complaint = (what, work) => {
  try {
    work();
    return null;
  } catch (error) {
    return `${what}: ${error.message}`;
  }
};
const check = (type, allowed) => complaint(`a ${type} that is not allowed`, () => parser.whiteListCheck(output, allowed, { database, type }));
// An entry with a table allows the column without one, too.
const bare = (entry) => entry.split('::').length === 3 && entry.replace(/::.*::/, '::null::');
return (
  complaint('no SQL', () => parser.astify(output, { database })) ??
  (allowedTables ? check('table', allowedTables) : null) ??
  (allowedColumns ? check('column', [...new Set(allowedColumns.flatMap((entry) => [entry, bare(entry) || entry]))]) : null)
);
