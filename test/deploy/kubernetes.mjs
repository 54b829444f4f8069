// Checks every manifest of deploy/kubernetes with the schemas of Kubernetes and of the Prometheus operator, and that they fit
// together: what a kustomization names is there, selectors find the pods, ports and secrets have the names that are used.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const folder = fileURLToPath(new URL('../../deploy/kubernetes', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(folder, name));

/** The model that checks a manifest: its group and version are the path of a module, its kind is the export. */
async function modelOf({ apiVersion, kind }) {
  const library = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  const models = await import(`${library}/${apiVersion}`);
  assert.ok(models[kind], `There is no ${kind} in ${apiVersion}.`);
  return models[kind];
}

const manifests = [];
for (const file of files) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    assert.deepEqual(document.errors, [], file);
    const manifest = document.toJS();
    const name = relative(folder, file);
    if (manifest.kind === 'Kustomization') {
      for (const resource of manifest.resources)
        assert.ok(existsSync(join(file, '..', resource)), `${name} names ${resource}, which is not there.`);
      continue;
    }
    const Model = await modelOf(manifest);
    try {
      new Model(manifest).validate();
    } catch (error) {
      throw new Error(
        `${name} is not a ${manifest.kind} as ${manifest.apiVersion} describes it: ${error.message}`,
        {
          cause: error,
        },
      );
    }
    manifests.push(manifest);
    console.log(`${name}: ${manifest.kind} of ${manifest.apiVersion}`);
  }
}

const find = (kind) => manifests.find((manifest) => manifest.kind === kind);
const { template, selector, replicas } = find('Deployment').spec;
const [container] = template.spec.containers;
assert.ok(replicas >= 2);
for (const wanted of [
  selector.matchLabels,
  find('Service').spec.selector,
  find('PodDisruptionBudget').spec.selector.matchLabels,
  find('NetworkPolicy').spec.podSelector.matchLabels,
])
  for (const [label, value] of Object.entries(wanted)) assert.equal(template.metadata.labels[label], value);
for (const [label, value] of Object.entries(find('ServiceMonitor').spec.selector.matchLabels))
  assert.equal(find('Service').metadata.labels[label], value);
const ports = container.ports.map((port) => port.name);
for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
  assert.ok(ports.includes(container[probe].httpGet.port), probe);
assert.ok(ports.includes(find('Service').spec.ports[0].targetPort));
assert.equal(find('ServiceMonitor').spec.endpoints[0].port, find('Service').spec.ports[0].name);
const { credentials } = find('ServiceMonitor').spec.endpoints[0].authorization;
assert.equal(credentials.name, find('Secret').metadata.name);
assert.ok(Object.hasOwn(find('Secret').stringData, credentials.key));
for (const { configMapRef, secretRef } of container.envFrom)
  assert.ok(
    configMapRef
      ? find('ConfigMap').metadata.name === configMapRef.name
      : find('Secret').metadata.name === secretRef.name,
  );
for (const { name } of container.volumeMounts)
  assert.ok(
    template.spec.volumes.some((volume) => volume.name === name),
    name,
  );
// Time to leave, to drain and to close fits in before the process is killed.
const leaveMs = Number(find('ConfigMap').data.HANDRAIL_LEAVE_MS);
assert.ok(template.spec.terminationGracePeriodSeconds * 1000 > leaveMs + 20_000);
assert.ok(
  leaveMs > container.readinessProbe.periodSeconds * container.readinessProbe.failureThreshold * 1000,
);
console.log(`${manifests.length} manifests are what Kubernetes describes, and fit together`);
