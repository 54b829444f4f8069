// Loaded into a gateway: the name `changing.test` has an address on the internet when it is first asked for, and this
// machine's from then on.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const { lookup } = dns;
let asked = 0;
dns.lookup = (name, options, callback) => {
  if (name !== 'changing.test') return lookup(name, options, callback);
  const address = asked++ === 0 ? '203.0.113.7' : '127.0.0.1';
  const done = typeof options === 'function' ? options : callback;
  if (options?.all) done(null, [{ address, family: 4 }]);
  else done(null, address, 4);
};
syncBuiltinESMExports();
