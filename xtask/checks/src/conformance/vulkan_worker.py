"""Runs SPIR-V on a Vulkan device (lavapipe, on a CPU, is enough), one JSON object a line.

    {"op": "version"}                       -> {"version", "device"}
    {"op": "run", "modules": [path, ...],
     "launches": [{"source": number, "grid": [x, y, z], "arguments": [...], "bindings": {...}}]}
                                            -> {"outputs": [path]}

An argument is {"path"} (a storage buffer: its bytes) or {"dtype", "value"} (a scalar); `bindings` is what the manifest says
of a kernel. A file that several launches name is one buffer. The contents of every buffer after the last launch are
written to its path + ".spirv".
"""

import struct

import vulkan as vk
from worker_loop import serve

FORMATS = {"int32": "<i", "uint32": "<I", "int64": "<q", "uint64": "<Q", "float32": "<f", "float64": "<d"}
HOST = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
WAIT_NANOSECONDS = 120 * 10**9


class Runner:
    def __init__(self):
        application = vk.VkApplicationInfo(apiVersion=vk.VK_MAKE_VERSION(1, 2, 0))
        self.instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(pApplicationInfo=application), None)
        devices = vk.vkEnumeratePhysicalDevices(self.instance)
        self.physical = next((it for it in devices if self.is_cpu(it)), devices[0])
        self.properties = vk.vkGetPhysicalDeviceProperties(self.physical)
        families = vk.vkGetPhysicalDeviceQueueFamilyProperties(self.physical)
        self.family = next(at for at, it in enumerate(families) if it.queueFlags & vk.VK_QUEUE_COMPUTE_BIT)
        self.device = self.make_device()
        self.queue = vk.vkGetDeviceQueue(self.device, self.family, 0)
        self.memory = vk.vkGetPhysicalDeviceMemoryProperties(self.physical)
        self.pool = vk.vkCreateCommandPool(
            self.device, vk.VkCommandPoolCreateInfo(queueFamilyIndex=self.family), None
        )

    @staticmethod
    def is_cpu(device):
        return vk.vkGetPhysicalDeviceProperties(device).deviceType == vk.VK_PHYSICAL_DEVICE_TYPE_CPU

    def make_device(self):
        narrow = vk.VkPhysicalDeviceShaderFloat16Int8Features(shaderFloat16=1)
        storage = vk.VkPhysicalDevice16BitStorageFeatures(
            pNext=narrow, storageBuffer16BitAccess=1, uniformAndStorageBuffer16BitAccess=1
        )
        features = vk.VkPhysicalDeviceFeatures(shaderInt64=1, shaderFloat64=1, shaderInt16=1)
        queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=self.family, queueCount=1, pQueuePriorities=[1.0])
        info = vk.VkDeviceCreateInfo(
            pNext=storage, queueCreateInfoCount=1, pQueueCreateInfos=[queue], pEnabledFeatures=features
        )
        return vk.vkCreateDevice(self.physical, info, None)

    def version(self, _request):
        number = self.properties.apiVersion
        return {"version": f"Vulkan {number >> 22}.{number >> 12 & 0x3FF}", "device": self.properties.deviceName}

    # ---- buffers ----

    def buffer(self, raw, usage):
        size = max(len(raw) + 3 & ~3, 4)
        info = vk.VkBufferCreateInfo(size=size, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE)
        buffer = vk.vkCreateBuffer(self.device, info, None)
        needs = vk.vkGetBufferMemoryRequirements(self.device, buffer)
        kind = next(
            at
            for at in range(self.memory.memoryTypeCount)
            if needs.memoryTypeBits & 1 << at and self.memory.memoryTypes[at].propertyFlags & HOST == HOST
        )
        info = vk.VkMemoryAllocateInfo(allocationSize=needs.size, memoryTypeIndex=kind)
        memory = vk.vkAllocateMemory(self.device, info, None)
        vk.vkBindBufferMemory(self.device, buffer, memory, 0)
        mapped = vk.vkMapMemory(self.device, memory, 0, size, 0)
        mapped[: len(raw)] = raw
        return buffer, memory, mapped, len(raw), size

    def free(self, made):
        buffer, memory = made[:2]
        vk.vkUnmapMemory(self.device, memory)
        vk.vkDestroyBuffer(self.device, buffer, None)
        vk.vkFreeMemory(self.device, memory, None)

    # ---- runs ----

    def run(self, request):
        buffers = {}
        try:
            for launch in request["launches"]:
                self.launch(request["modules"][launch["source"]], launch, buffers)
            outputs = []
            for path, (_, _, mapped, length, _) in buffers.items():
                with open(path + ".spirv", "wb") as file:
                    file.write(bytes(mapped[:length]))
                outputs.append(path + ".spirv")
            return {"outputs": outputs}
        finally:
            for made in buffers.values():
                self.free(made)

    def launch(self, path, launch, buffers):
        bindings = launch["bindings"]
        bound, scalars = [], []
        for argument in launch["arguments"]:
            if "path" in argument:
                bound.append(self.storage(argument["path"], buffers))
            else:
                scalars.append(argument["value"])
        kinds = {
            number: (vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, made) for number, made in zip(bindings["buffers"], bound)
        }
        block = None
        if "scalars" in bindings:
            raw = bytearray(bindings["scalars"]["bytes"])
            for field, value in zip(bindings["fields"], scalars, strict=True):
                value = value if field["dtype"].startswith("float") else int(value)
                struct.pack_into(FORMATS[field["dtype"]], raw, field["offset"], value)
            block = self.buffer(bytes(raw), vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT)
            kinds[bindings["scalars"]["binding"]] = (vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, block)
        try:
            self.dispatch(path, launch["grid"], kinds)
        finally:
            if block:
                self.free(block)

    def storage(self, path, buffers):
        if path not in buffers:
            with open(path, "rb") as file:
                buffers[path] = self.buffer(file.read(), vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)
        return buffers[path]

    def dispatch(self, path, grid, kinds):
        device = self.device
        with open(path, "rb") as file:
            code = file.read()
        shader = vk.vkCreateShaderModule(device, vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code), None)
        slots = [
            vk.VkDescriptorSetLayoutBinding(
                binding=number, descriptorType=kind, descriptorCount=1, stageFlags=vk.VK_SHADER_STAGE_COMPUTE_BIT
            )
            for number, (kind, _) in kinds.items()
        ]
        layout = vk.vkCreateDescriptorSetLayout(
            device, vk.VkDescriptorSetLayoutCreateInfo(bindingCount=len(slots), pBindings=slots), None
        )
        outer = vk.vkCreatePipelineLayout(
            device, vk.VkPipelineLayoutCreateInfo(setLayoutCount=1, pSetLayouts=[layout]), None
        )
        stage = vk.VkPipelineShaderStageCreateInfo(
            stage=vk.VK_SHADER_STAGE_COMPUTE_BIT, module=shader, pName="main"
        )
        info = vk.VkComputePipelineCreateInfo(stage=stage, layout=outer)
        pipeline = vk.vkCreateComputePipelines(device, None, 1, [info], None)[0]
        sizes = [vk.VkDescriptorPoolSize(type=kind, descriptorCount=1) for kind, _ in kinds.values()]
        pool = vk.vkCreateDescriptorPool(
            device, vk.VkDescriptorPoolCreateInfo(maxSets=1, poolSizeCount=len(sizes), pPoolSizes=sizes), None
        )
        chosen = vk.vkAllocateDescriptorSets(
            device, vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, descriptorSetCount=1, pSetLayouts=[layout])
        )[0]
        writes = [
            vk.VkWriteDescriptorSet(
                dstSet=chosen,
                dstBinding=number,
                descriptorCount=1,
                descriptorType=kind,
                pBufferInfo=[vk.VkDescriptorBufferInfo(buffer=made[0], offset=0, range=made[4])],
            )
            for number, (kind, made) in kinds.items()
        ]
        vk.vkUpdateDescriptorSets(device, len(writes), writes, 0, None)
        self.submit(pipeline, outer, chosen, grid)
        vk.vkDestroyDescriptorPool(device, pool, None)
        vk.vkDestroyPipeline(device, pipeline, None)
        vk.vkDestroyPipelineLayout(device, outer, None)
        vk.vkDestroyDescriptorSetLayout(device, layout, None)
        vk.vkDestroyShaderModule(device, shader, None)

    def submit(self, pipeline, layout, chosen, grid):
        device = self.device
        allocate = vk.VkCommandBufferAllocateInfo(
            commandPool=self.pool, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
        )
        commands = vk.vkAllocateCommandBuffers(device, allocate)[0]
        once = vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT
        vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo(flags=once))
        point = vk.VK_PIPELINE_BIND_POINT_COMPUTE
        vk.vkCmdBindPipeline(commands, point, pipeline)
        vk.vkCmdBindDescriptorSets(commands, point, layout, 0, 1, [chosen], 0, None)
        vk.vkCmdDispatch(commands, *grid)
        vk.vkEndCommandBuffer(commands)
        fence = vk.vkCreateFence(device, vk.VkFenceCreateInfo(), None)
        info = vk.VkSubmitInfo(commandBufferCount=1, pCommandBuffers=[commands])
        vk.vkQueueSubmit(self.queue, 1, [info], fence)
        vk.vkWaitForFences(device, 1, [fence], True, WAIT_NANOSECONDS)
        vk.vkDestroyFence(device, fence, None)
        vk.vkFreeCommandBuffers(device, self.pool, 1, [commands])


if __name__ == "__main__":
    serve(Runner)
